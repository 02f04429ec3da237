// The platform end to end: the sample program in the emulator.
//
//   node --test psp/samples/hello/hello_test.mjs        PSPLLM_HELLO_EBOOT: the sample's EBOOT.PBP
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { playCase, reasonToSkip } from '../../emulator/lib/play_case.mjs';
import { decodePng, pixelAt } from '../../emulator/lib/png.mjs';

const eboot = process.env.PSPLLM_HELLO_EBOOT ?? '';
const skip = fs.existsSync(eboot) ? reasonToSkip() : `there is no EBOOT at PSPLLM_HELLO_EBOOT (${eboot})`;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pspllm-hello-'));
test.after(() => fs.rmSync(folder, { recursive: true, force: true }));

function play(name, options) {
  const played = playCase({ eboot, folder: path.join(folder, name), ...options });
  assert.equal(played.status, 0, `${played.result?.reason ?? ''}\n${played.stderr}`);
  return played;
}

/** state.txt as a list of [key, value]. */
function reportOf(played) {
  return played.read('state.txt').trimEnd().split('\n').map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
}

/** The only value of a key. */
function valueOf(report, key) {
  const values = report.filter(([name]) => name === key).map(([, value]) => value);
  assert.equal(values.length, 1, `${key}: ${values.length} values`);
  return values[0];
}

const UNTIL_READY = 'within 2000\nwait log ready=yes\n';
const GREEN_BAR = [12, 260]; // a pixel of the first coloured bar
const RED_BAR = [450, 260]; // of the last one

test('files, system, screen and keyboard', { skip }, () => {
  const played = play('all', {
    files: { 'in.txt': 'MODEL 1' },
    args: ['--watch', 'state.txt'],
    script: `${UNTIL_READY}frames 5
screenshot first
press start
within 600
wait log sceUtilityOskInitStart
frames 60
screenshot keyboard
type Hi, 2 you?
press start
within 600
wait file state.txt has keyboard_done
press cross
within 200
wait exit
`,
  });
  const report = reportOf(played);
  assert.deepEqual(Object.fromEntries(report.filter(([key]) => !['save', 'largest_block', 'too_large'].includes(key))), {
    program: 'ms0:/PSP/GAME/PspLlm/EBOOT.PBP',
    in: 'ok', in_text: 'MODEL 1',
    absent: 'Cannot open ms0:/PSP/GAME/PspLlm/absent.txt: it is not there (code 80010002).',
    folder: 'ok', entries: '4', free_space: 'ok',
    clock: 'ok', mhz: '333/166', block: 'ok', block_bytes: '20971520',
    battery: '100', year_known: 'yes', confirm: 'cross', infinity: 'yes', ready: 'yes',
    keyboard: 'ok', outcome: 'confirmed', typed: 'aéHi, 2 you?', keyboard_done: 'yes', left: 'yes',
  });
  assert.deepEqual(report.filter(([key]) => key === 'save').map(([, value]) => value), ['ok', 'ok']);
  assert.match(valueOf(report, 'too_large'), /^Cannot take memory for the model: there is not enough free memory \(code 800200D9\)\. Asked for 20971520 bytes/);
  assert.ok(Number(valueOf(report, 'largest_block')) > 24_000_000);
  assert.equal(played.read('saved.txt'), 'second version\n');
  assert.equal(played.stdout, played.read('state.txt'), 'the watched file is shown as it was written');
  assert.deepEqual(played.result.changed, ['PSP/GAME/PspLlm/saved.txt', 'PSP/GAME/PspLlm/state.txt']);

  const first = decodePng(played.picture('first'));
  assert.deepEqual([first.width, first.height], [480, 272]);
  assert.ok(pixelAt(first, ...GREEN_BAR)[1] > 240);
  assert.ok(pixelAt(first, ...RED_BAR)[0] > 240);
  const keyboard = decodePng(played.picture('keyboard'));
  const lit = keyboard.pixels.filter((value) => value > 180).length;
  assert.ok(lit > 2000, 'the keyboard is drawn over the picture');
});

test('HOME ends a program that computes without asking', { skip }, () => {
  const played = play('busy', {
    files: { 'in.txt': '' },
    args: ['--model', 'psp_1000'],
    script: `${UNTIL_READY}press circle\nwait log busy=yes\nframes 30\npress select\nwithin 60\nwait exit\n`,
  });
  assert.ok(!reportOf(played).some(([key]) => key === 'left'));
});

test('HOME ends a program whose keyboard is open', { skip }, () => {
  const played = play('keyboard-home', {
    script: `${UNTIL_READY}press start\nwithin 600\nwait log sceUtilityOskInitStart\nframes 60\npress triangle\nwithin 60\nwait exit\n`,
  });
  assert.ok(!reportOf(played).some(([key]) => key === 'keyboard_done'));
});

test('a full stick and a failing read are told in words', { skip }, () => {
  const played = play('faults', {
    files: { 'in.txt': 'x'.repeat(40), 'saved.txt': 'older\n' },
    script: `fail read in.txt at 10\nstick room 60\n${UNTIL_READY}press cross\nwithin 100\nwait exit\n`,
  });
  const log = played.result.printed;
  assert.ok(log.some((line) => line === 'in=Cannot read ms0:/PSP/GAME/PspLlm/in.txt: the Memory Stick refused (is it full, or no longer in?) (code FFFFFFFF).'), log.join('\n'));
  assert.ok(log.some((line) => /^save=Cannot write ms0:\/PSP\/GAME\/PspLlm\/saved\.txt\.new: the Memory Stick refused/.test(line)), log.join('\n'));
  assert.equal(played.read('saved.txt'), null, 'the older file is unchanged');
  assert.deepEqual(played.result.removed, []);
});

test('a write-protected stick is told in words', { skip }, () => {
  const played = play('protected', {
    files: { 'saved.txt': 'older\n' },
    script: `stick read-only\n${UNTIL_READY}press cross\nwithin 100\nwait exit\n`,
  });
  const log = played.result.printed;
  assert.ok(log.some((line) => /^save=Cannot write .*saved\.txt\.new: /.test(line)), log.join('\n'));
  assert.deepEqual(played.result.changed, []);
  assert.deepEqual(played.result.removed, []);
});
