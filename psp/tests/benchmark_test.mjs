// The benchmark on an emulated console: every loop runs to its end there too. The figures mean nothing: an emulator
// has no caches and counts about a cycle an instruction.
import assert from 'node:assert/strict';
import test from 'node:test';
import { figuresOf, play, skipReason } from './program.mjs';

const LOOPS = 26;
const KERNELS = 6;

test('autorun benchmark=1 measures everything and writes bench.txt', { skip: skipReason() }, () => {
  const played = play('benchmark', {
    files: { 'autorun.txt': 'benchmark=1\n' },
    script: 'within 6000\nwait exit\n',
    args: ['--timeout', '600'],
  });
  assert.equal(figuresOf(played).error, undefined);
  const lines = played.read('bench.txt').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) assert.match(line, /^[a-z0-9_]+ [0-9]+(\.[0-9]+)?$/);
  assert.equal(lines.filter((line) => line.startsWith('loop_')).length, LOOPS);
  assert.equal(lines.filter((line) => line.startsWith('kernel_')).length, KERNELS);
  assert.ok(lines.some((line) => line.startsWith('stick_read_kilobytes_per_second ')));
});
