// Typing on the system's on-screen keyboard with the pad: from text to button presses.
//
// The keyboard opens with its cursor on "1" and small letters; SELECT changes between the two layers; Square types a
// space; the confirm button types the key under the cursor; START ends. Columns wrap around.

const LAYERS = [
  ['1234567890-+', 'qwertyuiop[]', 'asdfghjkl;@~', 'zxcvbnm,./?\\'],
  ['!@#$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:"`', 'ZXCVBNM<>/?|'],
];
const COLUMNS = 12;

/** Finds a key, on the current layer when it has one. */
function findKey(character, currentLayer) {
  for (const layer of [currentLayer, 1 - currentLayer]) {
    for (const [row, keys] of LAYERS[layer].entries()) {
      const column = keys.indexOf(character);
      if (column >= 0) return { layer, row, column };
    }
  }
  throw new Error(`The system keyboard has no key for "${character}".`);
}

function steps(count, positive, negative) {
  return Array(Math.abs(count)).fill(count > 0 ? positive : negative);
}

/** The presses, as button names, that type `text` on a keyboard that has just opened. */
export function pressesFor(text, confirm = 'cross') {
  const presses = [];
  let [layer, row, column] = [0, 0, 0];
  for (const character of text) {
    if (character === ' ') {
      presses.push('square');
      continue;
    }
    const key = findKey(character, layer);
    if (key.layer !== layer) presses.push('select');
    let across = key.column - column;
    if (Math.abs(across) > COLUMNS / 2) across -= COLUMNS * Math.sign(across);
    presses.push(...steps(key.row - row, 'down', 'up'), ...steps(across, 'right', 'left'), confirm);
    ({ layer, row, column } = key);
  }
  return presses;
}
