import assert from 'node:assert/strict';
import test from 'node:test';
import { parseScript } from './script_parser.mjs';
import { ScriptRunner, StepFailed } from './script_runner.mjs';

/** A machine that notes what is done to it and at which frame. */
class FakeMachine {
  frame = 0;
  deeds = [];
  lines = [];
  files = {};
  exited = false;
  pictureReadyAt = Infinity;
  setButton(name, isDown) { this.deeds.push(`${this.frame} ${name} ${isDown ? 'down' : 'up'}`); }
  hasExited() { return this.exited; }
  logLines() { return this.lines; }
  readFile(name) { return this.files[name] ?? null; }
  startScreenshot(name) { this.deeds.push(`${this.frame} picture ${name}`); this.pictureReadyAt = this.frame + 2; }
  screenshotDone() { return this.frame >= this.pictureReadyAt; }
  setStick(condition) { this.deeds.push(`${this.frame} room ${condition.room}`); }
  addReadFault(fault) { this.deeds.push(`${this.frame} ${fault.fault} ${fault.path} ${fault.offset}`); }
}

/** Plays until the script ends; `at` maps frames to what happens then. Returns the frames played. */
function play(text, machine, at = {}) {
  const runner = new ScriptRunner(parseScript(text), machine);
  for (; ; ++machine.frame) {
    at[machine.frame]?.();
    if (runner.tick()) return machine.frame;
    assert.ok(machine.frame < 100_000);
  }
}

test('presses last and pause for the frames asked for', () => {
  const machine = new FakeMachine();
  assert.equal(play('press cross hold 2 times 2\nframes 4\nhold l\nrelease l', machine), 16);
  assert.deepEqual(machine.deeds,
    ['0 cross down', '2 cross up', '5 cross down', '7 cross up', '14 l down', '15 l up']);
});

test('typing presses one frame each', () => {
  const machine = new FakeMachine();
  play('type 12', machine);
  assert.deepEqual(machine.deeds,
    ['0 cross down', '1 cross up', '2 right down', '3 right up', '4 cross down', '5 cross up']);
});

test('each wait for the log takes the next line that fits', () => {
  const machine = new FakeMachine();
  const frames = play('wait log ready\nwait log ready\nframes 1', machine, {
    3: () => machine.lines.push('ready', 'noise'), 7: () => machine.lines.push('x ready y'),
  });
  assert.equal(frames, 8);
});

test('waits for a file, its content, and the exit', () => {
  const machine = new FakeMachine();
  const frames = play('wait file a.txt\nwait file a.txt has end\nwait exit', machine, {
    2: () => { machine.files['a.txt'] = 'begin'; },
    5: () => { machine.files['a.txt'] = 'begin end'; },
    9: () => { machine.exited = true; },
  });
  assert.equal(frames, 9);
});

test('a wait that is too long, or that the program leaves in, fails with its line', () => {
  assert.throws(() => play('\nwithin 10\nwait log never', new FakeMachine()), (error) => error instanceof StepFailed &&
    error.message === 'Script, line 3: waited 10 frames for the log to say "never".');
  const machine = new FakeMachine();
  assert.throws(() => play('wait log never', machine, { 4: () => { machine.exited = true; } }),
    /Script, line 1: the program left while waiting for the log to say "never"\./);
});

test('pictures and faults reach the machine', () => {
  const machine = new FakeMachine();
  play('stick room 7\nfail read m.bin at 3\nscreenshot one\nstick normal', machine);
  assert.deepEqual(machine.deeds, ['0 room 7', '0 error m.bin 3', '0 picture one', '2 room Infinity']);
});
