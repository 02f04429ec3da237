// The program as a person uses it: buttons, the keyboard, and pictures of every screen, compared with reviewed ones.
//
//   node --test psp/tests/interface_test.mjs
//     PSPLLM_EBOOT            the program
//     PSPLLM_SHARED           the shared data folder (default ../shared); without it the tests are skipped
//     PSPLLM_KEEP_PICTURES    a folder: writes the pictures there instead of comparing them, to be looked at and then
//                             copied to psp/tests/pictures
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { decodePng } from '../emulator/lib/png.mjs';
import { modelFiles, play, readShared, skipReason } from './program.mjs';

const skip = skipReason();
const PICTURES = new URL('pictures/', import.meta.url);
const CELL = 8;
/** What differs from run to run: the clock in the title, and the measured rates in the status line. */
const CHANGING = [
  { row: 0, from: 52, to: 60 },
  { row: 32, from: 0, to: 34 },
];

function changes(pixel, width) {
  const row = Math.floor(Math.floor(pixel / width) / CELL);
  const column = Math.floor((pixel % width) / CELL);
  return CHANGING.some((area) => area.row === row && column >= area.from && column < area.to);
}

function differentPixels(a, b) {
  let count = 0;
  for (let pixel = 0; pixel < a.width * a.height; ++pixel) {
    if (changes(pixel, a.width)) continue;
    if ([0, 1, 2].some((channel) => a.pixels[3 * pixel + channel] !== b.pixels[3 * pixel + channel])) ++count;
  }
  return count;
}

function comparePicture(played, name) {
  const keep = process.env.PSPLLM_KEEP_PICTURES;
  if (keep) {
    fs.mkdirSync(keep, { recursive: true });
    fs.writeFileSync(path.join(keep, `${name}.png`), played.picture(name));
    return;
  }
  const expected = decodePng(fs.readFileSync(new URL(`${name}.png`, PICTURES)));
  const found = decodePng(played.picture(name));
  assert.deepEqual([found.width, found.height], [expected.width, expected.height]);
  assert.equal(differentPixels(found, expected), 0, `${name}: the picture differs from psp/tests/pictures/${name}.png`);
}

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
press start
wait log screen: writing
wait log screen: story
frames 10
screenshot story
press square
wait log screen: writing
frames 10
press circle
wait log screen: story
frames 4
press square
wait log screen: writing
wait log screen: story
press left
frames 6
screenshot beginning
press triangle
wait log screen: menu
frames 6
screenshot menu
press down times 4
press cross
wait log screen: story
frames 6
press triangle
wait log screen: menu
press down times 5
press cross
wait log screen: settings
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
press triangle
wait log screen: menu
press down times 6
press cross
wait log screen: memory
frames 6
screenshot memory
press circle
wait log screen: story
press triangle
wait log screen: menu
press down times 8
press cross
wait log screen: controls
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
  for (const name of ['models', 'broken-model', 'welcome', 'story', 'beginning', 'menu', 'settings', 'memory', 'controls', 'history']) {
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
  assert.match(story, /--- you ---\nThe dog ran\n\n--- model ---\n to the/);
});
