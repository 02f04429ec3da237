// What goes wrong on a real console: files missing or damaged, a stick that is full, protected or fails, rubbish in the
// settings, HOME. The program says what is the matter, in words, and never hangs.
//
//   node --test psp/tests/fault_test.mjs        PSPLLM_EBOOT, PSPLLM_SHARED as in golden_test.mjs
import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseInMenu, figuresOf, modelFiles, play, readShared, skipReason } from './program.mjs';

const skip = skipReason();
const UNTIL_MESSAGE = 'within 3000\nwait log screen: message\nframes 10\nscreenshot shown\n';

function says(played, pattern) {
  assert.ok(played.result.printed.some((line) => pattern.test(line)), played.result.printed.join('\n'));
}

test('no model on the stick', { skip }, () => {
  says(play('no-model', { script: `${UNTIL_MESSAGE}press circle\nwithin 300\nwait exit\n` }), /There is no model\.bin to run/);
});

test('a truncated model', { skip }, () => {
  const files = { ...modelFiles('stories260K_q80'), 'autorun.txt': 'prompt=x\n' };
  files['model.bin'] = files['model.bin'].subarray(0, 300_000);
  const played = play('truncated', { files, script: `${UNTIL_MESSAGE}press cross\nwithin 300\nwait exit\n` });
  says(played, /cut short: .* takes 521728 bytes, the file has 300000/);
  assert.match(figuresOf(played).error, /cut short/);
});

test('a model and a tokenizer that do not belong together', { skip }, () => {
  const files = { ...modelFiles('stories260K_q80'), 'autorun.txt': 'prompt=x\n' };
  files['tokenizer.bin'] = readShared('data/models/tokenizer32000.bin');
  const played = play('foreign-tokenizer', { files, script: `${UNTIL_MESSAGE}press cross\nwithin 300\nwait exit\n` });
  assert.match(figuresOf(played).error, /tokenizer/);
});

for (const [kind, word] of [['fails', 'fail'], ['comes up short', 'shorten']]) {
  for (const offset of [0, 100_000, 521_000]) {
    test(`a read that ${kind} at byte ${offset}`, { skip }, () => {
      const played = play(`${word}-${offset}`, {
        files: { ...modelFiles('stories260K_q80'), 'autorun.txt': 'prompt=x\n' },
        script: `${word} read model.bin at ${offset}\n${UNTIL_MESSAGE}press cross\nwithin 300\nwait exit\n`,
      });
      assert.match(figuresOf(played).error, /model\.bin/);
    });
  }
}

test('rubbish in the settings', { skip }, () => {
  const played = play('rubbish', {
    files: { ...modelFiles('stories260K_q80'), 'settings.txt': Buffer.from([0xff, 0x00, 0x0a, 0x3d, 0x0a, 0x80, 0x81]) },
    script: `within 3000\nwait log screen: story\nframes 10\nscreenshot shown\n${chooseInMenu('leave')}wait exit\n`,
  });
  assert.deepEqual(played.result.removed, []);
});

for (const [kind, step] of [['full', 'stick full'], ['write-protected', 'stick read-only']]) {
  test(`a ${kind} stick while saving: told, and the older settings stay`, { skip }, () => {
    const played = play(`save-${kind}`, {
      files: { ...modelFiles('stories260K_q80'), 'settings.txt': 'length=16\nseed=3\n' },
      script: `within 3000
wait log screen: story
frames 4
press start
press cross
wait log screen: keyboard
frames 100
type a
press start
wait log screen: writing
wait log screen: story
${step}
${chooseInMenu('save')}wait log screen: message
frames 10
screenshot shown
press cross
wait log screen: story
frames 4
${chooseInMenu('leave')}wait exit
`,
    });
    says(played, /Cannot|not/);
    assert.deepEqual(played.result.removed, []);
    assert.ok(!played.result.changed.some((name) => name.endsWith('/settings.txt')));
  });
}

test('HOME while it writes', { skip }, () => {
  const played = play('home', {
    files: { ...modelFiles('stories260K_q80'), 'autorun.txt': 'prompt=Once\nsteps=200\ntemperature=0\nhome_after_tokens=5\n' },
    script: 'within 3000\nwait log screen: writing\nwithin 200\nwait exit\n',
  });
  assert.match(played.read('state.txt'), /^Once/);
});
