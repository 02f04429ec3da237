// The program as a person uses it: buttons, the keyboard, and pictures of every screen, compared with reviewed ones.
//
//   node --test psp/tests/interface_test.mjs
//     PSPLLM_EBOOT            the program
//     PSPLLM_SHARED           the shared data folder (default ../shared); without it the tests are skipped
//     PSPLLM_KEEP_PICTURES    a folder: writes the pictures there instead of comparing them, to be looked at and then
//                             copied to psp/tests/pictures
import assert from 'node:assert/strict';
import test from 'node:test';
import { comparePicture, MOVING } from './pictures.mjs';
import { chooseInMenu, modelFiles, OPEN_MENU, play, readShared, skipReason } from './program.mjs';

const skip = skipReason();
/** The same story every time. */
const SETTINGS = 'temperature=0.00\nseed=5\nlength=64\n';

const SESSION = `within 3000
wait log screen: models
frames 10
screenshot models
press down
press cross
wait log screen: message
frames 10
screenshot broken-model
press cross
frames 4
press down
press cross
wait log screen: story
frames 10
screenshot welcome
press cross
wait log screen: keyboard
frames 100
type The dog ran
frames 4
screenshot keyboard
press start
wait log screen: writing
frames 12
screenshot writing
wait log screen: story
frames 10
screenshot story
press square
wait log screen: writing
wait log screen: story
press left
frames 6
screenshot beginning
press square
wait log screen: writing
frames 4
press circle
wait log screen: story
frames 4
${OPEN_MENU}screenshot menu
press circle
wait log screen: story
${chooseInMenu('save')}wait log screen: story
frames 6
${chooseInMenu('settings')}wait log screen: settings
frames 4
press right times 2
press down times 7
press right
frames 6
screenshot settings
press left
frames 4
press circle
wait log screen: story
${chooseInMenu('memory')}wait log screen: memory
frames 6
screenshot memory
press circle
wait log screen: story
${chooseInMenu('benchmark')}wait log screen: message
frames 6
screenshot benchmark
press circle
wait log screen: story
${chooseInMenu('controls')}wait log screen: controls
frames 6
screenshot controls
press circle
wait log screen: story
press select
wait log screen: history
frames 6
screenshot history
press square
wait log screen: keyboard
frames 100
press select
frames 2
press cross
frames 2
press start
wait log screen: writing
wait log screen: story
frames 6
press triangle
wait log screen: menu
press up times 3
frames 4
press up
frames 4
press down times 3
press cross
wait exit
`;

test('a whole session: choose, type, write, stop, go on, scroll, save, set, look, recall, leave', { skip }, () => {
  const played = play('session', {
    files: {
      ...modelFiles('babyllama_q80', 'models/babyllama/'),
      ...modelFiles('stories260K_q80', 'models/stories260K/'),
      'models/damaged-copy/model.bin': readShared('data/models/babyllama_q80.bin').subarray(0, 5000),
      'models/damaged-copy/tokenizer.bin': readShared('data/models/babyllama/tokenizer.bin'),
      'settings.txt': SETTINGS,
    },
    script: SESSION,
    args: ['--timeout', '600'],
  });
  for (const name of ['models', 'broken-model', 'welcome', ...MOVING, 'story', 'beginning', 'menu', 'settings', 'memory', 'benchmark', 'controls', 'history']) {
    comparePicture(played, name);
  }
  const settings = played.read('settings.txt');
  assert.match(settings, /^temperature=0\.10$/m);
  assert.match(settings, /^colors=night$/m);
  assert.match(settings, /^model=stories260K$/mi);
  const history = played.read('history.txt').split('\n');
  assert.equal(history[1], 'The dog ran');
  assert.match(history[0], /^The dog ran.$/);
  const saved = played.result.changed.filter((name) => /stories\/.*\.txt$/.test(name));
  assert.equal(saved.length, 1);
  const story = played.read(saved[0].replace(/^.*PspLlm\//, ''));
  const tokens = Number(/^Answer: (\d+) tokens/m.exec(story)[1]);
  assert.ok(tokens >= 128 && tokens < 192, `the third part was stopped by CIRCLE: ${tokens} tokens`);
  assert.match(story, /--- you ---\nThe dog ran\n\n--- model ---\n to the/);
});
