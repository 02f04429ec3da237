// state.txt from the emulated console against the reference's text, byte for byte.
//
//   node --test psp/tests/golden_test.mjs
//     PSPLLM_EBOOT    the program
//     PSPLLM_SHARED   the shared data folder (default ../shared); without it the tests are skipped
//     PSPLLM_GOLDEN   "all" for every case on both consoles; otherwise a short selection
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { figuresOf, modelFiles, play, readShared, sharedPath, skipReason } from './program.mjs';

const SHORT = ['stories260K_q80.layla.greedy.txt', 'stories260K_q80.utf8.t08p09.txt', 'babyllama_q80.quote.t1p1.txt'];
/** A 17 MB model and its whole context must fit beside the program in what a PSP-1000 gives. */
const PSP_1000_BYTES = 24_585_472;

const skip = skipReason();
const all = process.env.PSPLLM_GOLDEN === 'all';
const cases = skip ? [] : JSON.parse(readShared('golden/cases.json'));

/** The model in the shape of stories15M, made on the spot. */
function randomModelFiles() {
  const file = path.join(os.tmpdir(), `pspllm-random15M-${process.pid}.bin`);
  execFileSync('python3', [sharedPath('tools/make_random_model.py'), file, ...'288 768 6 6 6 32000 256 32 1 1'.split(' ')]);
  const files = { 'model.bin': fs.readFileSync(file), 'tokenizer.bin': readShared('data/models/tokenizer32000.bin') };
  fs.rmSync(file);
  return files;
}

let randomModel = null;
function filesOf(model) {
  if (model !== 'random15M_q80') return modelFiles(model);
  randomModel ??= randomModelFiles();
  return randomModel;
}

function autorun(golden) {
  return [
    `prompt=${golden.prompt.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `steps=${golden.steps}`,
    `temperature=${golden.temperature}`, `top_p=${golden.top_p}`, `seed=${golden.seed}`, 'reference_output=1', '',
  ].join('\n');
}

function check(golden, console) {
  const played = play(golden.file, {
    files: { ...filesOf(golden.model), 'autorun.txt': autorun(golden) },
    script: 'wait log autorun: done\nwithin 300\nwait exit\n',
    args: ['--watch', 'state.txt', '--model', console, '--timeout', '1100'],
  });
  const expected = readShared(`golden/${golden.file}`).toString();
  assert.equal(played.read('state.txt'), expected);
  assert.equal(played.stdout, expected, 'what was streamed while it grew');
  const figures = figuresOf(played);
  assert.equal(figures.error, undefined);
  assert.ok(Number(figures.drawing_us) * 50 < Number(figures.prefill_us) + Number(figures.decode_us), 'drawing takes under 2 %');
  if (golden.model === 'random15M_q80') {
    assert.equal(figures.context, '256');
    assert.ok(Number(figures.plan_bytes) + Number(figures.program_bytes) < PSP_1000_BYTES);
  }
}

const chosen = all ? cases : cases.filter((golden) => SHORT.includes(golden.file));
for (const golden of chosen) {
  for (const console of all ? ['psp_1000', 'psp_2000_3000'] : ['psp_1000']) {
    test(`${golden.file} on ${console}`, { skip }, () => check(golden, console));
  }
}
if (chosen.length === 0) test('golden texts', { skip }, () => assert.fail('no case was chosen'));
