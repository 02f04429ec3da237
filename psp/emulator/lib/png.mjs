// Reading the core's screenshots: PNG with 8 bits a channel, red green blue, not interlaced.
import zlib from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHANNELS = 3;
const COLOR_TYPE_RGB = 2;

function* chunks(png) {
  for (let at = SIGNATURE.length; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function paeth(left, above, corner) {
  const estimate = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(estimate - value));
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** Undoes a row's filter in place; `above` is the row before it, already undone. */
function unfilter(kind, row, above) {
  for (let i = 0; i < row.length; ++i) {
    const left = i >= CHANNELS ? row[i - CHANNELS] : 0;
    const corner = i >= CHANNELS ? above[i - CHANNELS] : 0;
    const predictions = [0, left, above[i], (left + above[i]) >> 1, paeth(left, above[i], corner)];
    row[i] += predictions[kind];
  }
}

/** {width, height, pixels}: pixels has three bytes (red, green, blue) a pixel, row after row. */
export function decodePng(png) {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('This is not a PNG picture.');
  let header = null;
  const compressed = [];
  for (const { type, data } of chunks(png)) {
    if (type === 'IHDR') header = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), depth: data[8], color: data[9] };
    if (type === 'IDAT') compressed.push(data);
  }
  if (header === null || header.depth !== 8 || header.color !== COLOR_TYPE_RGB) {
    throw new Error('This PNG picture is not one of 8-bit red, green and blue.');
  }
  const raw = zlib.inflateSync(Buffer.concat(compressed));
  const rowBytes = header.width * CHANNELS;
  const pixels = new Uint8Array(rowBytes * header.height);
  let above = new Uint8Array(rowBytes);
  for (let y = 0; y < header.height; ++y) {
    const row = pixels.subarray(y * rowBytes, (y + 1) * rowBytes);
    const begin = y * (rowBytes + 1);
    row.set(raw.subarray(begin + 1, begin + 1 + rowBytes));
    unfilter(raw[begin], row, above);
    above = row;
  }
  return { width: header.width, height: header.height, pixels };
}

/** How many pixels of two decoded pictures differ; all of them when the sizes do. */
export function countDifferentPixels(a, b) {
  if (a.width !== b.width || a.height !== b.height) return Math.max(a.width * a.height, b.width * b.height);
  let count = 0;
  for (let i = 0; i < a.pixels.length; i += CHANNELS) {
    if (a.pixels[i] !== b.pixels[i] || a.pixels[i + 1] !== b.pixels[i + 1] || a.pixels[i + 2] !== b.pixels[i + 2]) ++count;
  }
  return count;
}

/** The colour [red, green, blue] of a pixel. */
export function pixelAt(picture, x, y) {
  const at = (y * picture.width + x) * CHANNELS;
  return [...picture.pixels.subarray(at, at + CHANNELS)];
}
