import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { parsePlayArguments } from './play_arguments.mjs';

test('defaults and settings', () => {
  const options = parsePlayArguments(['--stick', 's', '--out', 'o', '--model', 'psp_1000', '--set', 'a=b=c']);
  assert.equal(options.stick, path.resolve('s'));
  assert.equal(options.program, 'PSP/GAME/PspLlm/EBOOT.PBP');
  assert.equal(options.timeoutSeconds, 120);
  assert.deepEqual(options.settings, { ppsspp_psp_model: 'psp_1000', ppsspp_button_preference: 'Cross', a: 'b=c' });
  assert.ok(parsePlayArguments(['--help']).help);
});

test('wrong use is told', () => {
  assert.throws(() => parsePlayArguments(['--out', 'o']), /--stick is missing/);
  assert.throws(() => parsePlayArguments(['--stick', 's', '--out', 'o', '--timeout', 'soon']), /number of seconds/);
  assert.throws(() => parsePlayArguments(['--stick', 's', '--out', 'o', '--model', 'vita']), /psp_1000 or psp_2000_3000/);
  assert.throws(() => parsePlayArguments(['--stick', 's', '--out', 'o', '--set', 'x']), /KEY=VALUE/);
  assert.throws(() => parsePlayArguments(['--bogus']));
});
