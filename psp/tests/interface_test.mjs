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
/**
 * What differs from run to run, or with every change of the program's size: the clock and the memory's size in the
 * title, the measured rates and the free memory in the status line, and on the memory screen whatever the block's size
 * goes into. Cells [from, to) of rows [first, end).
 */
const CHANGING = [
  { first: 0, end: 1, from: 28, to: 60 },
  { first: 32, end: 33, from: 0, to: 60 },
];
const CHANGING_MEMORY = [
  { first: 2, end: 6, from: 0, to: 60 },
  { first: 7, end: 22, from: 20, to: 60 },
  { first: 26, end: 28, from: 0, to: 60 },
];

function isInside(pixel, width, areas) {
  const row = Math.floor(Math.floor(pixel / width) / CELL);
  const column = Math.floor((pixel % width) / CELL);
  return areas.some(({ first, end, from, to }) => row >= first && row < end && column >= from && column < to);
}

function differentPixels(a, b, ignored) {
  let count = 0;
  for (let pixel = 0; pixel < a.width * a.height; ++pixel) {
    if (isInside(pixel, a.width, ignored)) continue;
    if ([0, 1, 2].some((channel) => a.pixels[3 * pixel + channel] !== b.pixels[3 * pixel + channel])) ++count;
  }
  return count;
}

/** Pictures that change from run to run (a blinking cursor, a story half written): only kept, to be looked at. */
const MOVING = ['keyboard', 'writing'];

function comparePicture(played, name) {
  const keep = process.env.PSPLLM_KEEP_PICTURES;
  if (keep) {
    fs.mkdirSync(keep, { recursive: true });
    fs.writeFileSync(path.join(keep, `${name}.png`), played.picture(name));
    return;
  }
  if (MOVING.includes(name)) return;
  const expected = decodePng(fs.readFileSync(new URL(`${name}.png`, PICTURES)));
  const found = decodePng(played.picture(name));
  assert.deepEqual([found.width, found.height], [expected.width, expected.height]);
  const ignored = name === 'memory' ? [...CHANGING, ...CHANGING_MEMORY] : CHANGING;
  assert.equal(differentPixels(found, expected, ignored), 0, `${name}: the picture differs from psp/tests/pictures/${name}.png`);
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
wait log screen: message
frames 6
screenshot benchmark
press circle
wait log screen: story
press triangle
wait log screen: menu
press down times 9
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
