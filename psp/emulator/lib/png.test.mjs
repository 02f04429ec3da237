import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import zlib from 'node:zlib';
import { countDifferentPixels, decodePng, pixelAt } from './png.mjs';

/** A PNG whose rows are given as [filter, ...bytes]. */
function makePng(width, rows) {
  const chunk = (type, data) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length, 0);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 2], 8);
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', header),
    chunk('IDAT', zlib.deflateSync(Buffer.from(rows.flat()))), chunk('IEND', Buffer.alloc(0))]);
}

test('all five row filters are undone', () => {
  const picture = decodePng(makePng(2, [
    [0, 10, 20, 30, 40, 50, 60],
    [1, 1, 2, 3, 4, 5, 6],
    [2, 1, 1, 1, 1, 1, 1],
    [3, 2, 2, 2, 2, 2, 2],
    [4, 1, 1, 1, 1, 1, 1],
  ]));
  assert.deepEqual([...picture.pixels], [
    10, 20, 30, 40, 50, 60,
    1, 2, 3, 5, 7, 9,
    2, 3, 4, 6, 8, 10,
    3, 3, 4, 6, 7, 9,
    4, 4, 5, 7, 8, 10,
  ]);
  assert.deepEqual(pixelAt(picture, 1, 0), [40, 50, 60]);
});

test('pictures are compared pixel by pixel', () => {
  const a = decodePng(makePng(2, [[0, 1, 2, 3, 4, 5, 6]]));
  const b = decodePng(makePng(2, [[0, 1, 2, 3, 4, 5, 7]]));
  const wider = decodePng(makePng(3, [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]));
  assert.equal(countDifferentPixels(a, a), 0);
  assert.equal(countDifferentPixels(a, b), 1);
  assert.equal(countDifferentPixels(a, wider), 3);
});

test('the program\'s own pictures are read', () => {
  const icon = decodePng(fs.readFileSync(new URL('../../assets/icon.png', import.meta.url)));
  assert.deepEqual([icon.width, icon.height], [144, 80]);
});

test('what is no such picture is refused', () => {
  assert.throws(() => decodePng(Buffer.from('GIF89a')), /not a PNG/);
});
