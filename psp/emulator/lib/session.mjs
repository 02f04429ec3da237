// One run of the emulated console from its start to a result.
import fs from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { LiveFile } from './live_file.mjs';
import { Machine } from './machine.mjs';
import { ScriptRunner, StepFailed } from './script_runner.mjs';

/** What the script runner plays on. */
function scriptMachine(machine, programFolder) {
  return {
    setButton: (name, isDown) => machine.setButton(name, isDown),
    hasExited: () => machine.log.hasExited,
    logLines: () => machine.log.lines,
    readFile: (file) => machine.stick.read(`${programFolder}/${file}`)?.toString('utf8') ?? null,
    startScreenshot: (name) => machine.startScreenshot(name),
    screenshotDone: () => machine.screenshotDone(),
    setStick: (condition) => machine.stick.setCondition(condition),
    addReadFault: (fault) => machine.stick.addReadFault({ ...fault, path: `${programFolder}/${fault.path}` }),
  };
}

/**
 * Plays the steps and returns {ok, reason, frames, milliseconds, startMilliseconds, exited, faults, printed, changed,
 * removed}; `frames` counts from the program's first instruction and is the same in every run.
 * Paths of steps and of `watch` are relative to the program's folder on the stick.
 */
export async function playSession(options) {
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  const programFolder = path.posix.dirname(options.program);
  let finish;
  const finished = new Promise((resolve) => { finish = resolve; });
  let startFrame = null;
  let startMilliseconds = null;
  let runner = null;
  let live = null;

  const afterFrame = () => {
    if (startFrame === null && machine.log.hasStarted) {
      startFrame = machine.frames;
      startMilliseconds = elapsed();
    }
    live?.poll();
    if (elapsed() > options.timeoutSeconds * 1000) {
      finish({ ok: false, reason: `The time limit of ${options.timeoutSeconds} seconds ran out.` });
      return;
    }
    if (startFrame !== null) tickScript();
    else if (machine.log.faults.length > 0) finish({ ok: false, reason: 'The program could not be started.' });
  };
  const tickScript = () => {
    try {
      if (runner.tick()) finish({ ok: true, reason: machine.log.hasExited ? 'the program left' : 'the script ended' });
    } catch (error) {
      finish({ ok: false, reason: error instanceof StepFailed ? error.message : String(error.stack ?? error) });
    }
  };
  const machine = await Machine.boot({
    core: options.core, settings: options.settings, screenshotFolder: options.out, onFrame: afterFrame,
    onLog: (line) => { if (options.showLog) console.error(line); },
  });
  machine.stick.load(options.stick);
  if (machine.stick.read(options.program) === null) {
    throw new Error(`There is no ${options.program} in ${options.stick}.`);
  }
  runner = new ScriptRunner(options.steps, scriptMachine(machine, programFolder), { confirm: options.confirm });
  if (options.watch !== null) {
    const file = `${programFolder}/${options.watch}`;
    live = new LiveFile((from) => machine.stick.readFrom(file, from), (bytes) => process.stdout.write(bytes));
  }
  const watchdog = setTimeout(() => finish({ ok: false, reason: 'The emulator has stopped drawing frames.' }),
    options.timeoutSeconds * 1000 + 5000);
  tickScript(); // a script may begin with the state of the stick, which must hold from the first instruction on
  machine.start(options.program);
  const { ok, reason } = await finished;
  clearTimeout(watchdog);
  live?.poll();

  const files = machine.stick.collect(path.join(options.out, 'stick'));
  fs.writeFileSync(path.join(options.out, 'emulator.log'), `${machine.log.lines.join('\n')}\n`);
  const { faults, hasExited } = machine.log;
  return {
    ok: ok && faults.length === 0,
    reason: ok && faults.length > 0 ? `the log holds ${faults.length} faults` : reason,
    frames: machine.frames - (startFrame ?? machine.frames), milliseconds: elapsed(), startMilliseconds,
    exited: hasExited, faults,
    printed: machine.log.printed, ...files,
  };
}
