// Screenshots against reviewed ones in psp/tests/pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { decodePng } from '../emulator/lib/png.mjs';

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
export const MOVING = ['keyboard', 'writing'];

/** With PSPLLM_KEEP_PICTURES the picture is only kept there, to be looked at. */
export function comparePicture(played, name) {
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
