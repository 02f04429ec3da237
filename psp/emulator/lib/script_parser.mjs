// The script language of play.mjs: one step a line. README.md describes it.
//
//   within N                                           (limits the wait that follows)
//   wait log TEXT | wait file PATH | wait file PATH has TEXT | wait exit
//   frames N
//   press BUTTON [hold N] [times N]
//   hold BUTTON | release BUTTON
//   type TEXT
//   screenshot NAME
//   stick normal | stick read-only | stick full | stick room BYTES
//   fail read PATH at OFFSET | shorten read PATH at OFFSET

/** Buttons by the number that the core knows them by. */
export const BUTTONS = {
  cross: 0, square: 1, select: 2, start: 3, up: 4, down: 5, left: 6, right: 7, circle: 8, triangle: 9, l: 10, r: 11,
};

/** How long a press lasts, and the pause after it, in frames. Under ten frames no auto-repeat sets in. */
export const PRESS_FRAMES = 3;
export const PAUSE_FRAMES = 3;
/** On the system keyboard presses may be as short as one frame. */
export const TYPING_FRAMES = 1;

export class ScriptError extends Error {}

function toCount(word, what) {
  if (!/^\d+$/.test(word ?? '')) throw new ScriptError(`${what} must be a whole number, not "${word ?? ''}"`);
  return Number(word);
}

function toButton(word) {
  if (!Object.hasOwn(BUTTONS, word ?? '')) {
    throw new ScriptError(`"${word ?? ''}" is no button; buttons: ${Object.keys(BUTTONS).join(' ')}`);
  }
  return word;
}

function required(text, what) {
  if (!text) throw new ScriptError(`${what} is missing`);
  return text;
}

function rejectRest(words) {
  if (words.length > 0) throw new ScriptError(`"${words.join(' ')}" is not understood here`);
}

/** The options `hold N` and `times N` in any order. */
function parsePressOptions(words) {
  const options = { hold: PRESS_FRAMES, times: 1 };
  while (words.length > 0) {
    const name = words.shift();
    if (!Object.hasOwn(options, name)) throw new ScriptError(`"${name}" is not understood; expected hold N or times N`);
    options[name] = toCount(words.shift(), name);
  }
  return options;
}

function parseWait(rest) {
  const [what, ...words] = rest.split(' ');
  const text = words.join(' ');
  if (what === 'exit') return rejectRest(words), { kind: 'wait-exit' };
  if (what === 'log') return { kind: 'wait-log', text: required(text, 'the text to wait for') };
  if (what === 'file') {
    const [, file, content] = /^(\S+)(?: has (.+))?$/.exec(text) ?? [];
    return { kind: 'wait-file', path: required(file, 'the file to wait for'), text: content ?? null };
  }
  throw new ScriptError(`wait "${what}" is not understood; expected log, file or exit`);
}

function parseStick(rest) {
  const [mode, ...words] = rest.split(' ');
  if (mode === 'room') return { kind: 'stick', room: toCount(words.join(' '), 'the room'), readOnly: false };
  rejectRest(words);
  if (mode === 'normal') return { kind: 'stick', room: Infinity, readOnly: false };
  if (mode === 'full') return { kind: 'stick', room: 0, readOnly: false };
  if (mode === 'read-only') return { kind: 'stick', room: Infinity, readOnly: true };
  throw new ScriptError(`stick "${mode}" is not understood; expected normal, full, read-only or room BYTES`);
}

function parseReadFault(rest, kind) {
  const match = /^read (\S+) at (\d+)$/.exec(rest);
  if (!match) throw new ScriptError('expected "read PATH at OFFSET"');
  return { kind: 'read-fault', fault: kind, path: match[1], offset: Number(match[2]) };
}

const PARSERS = {
  wait: parseWait,
  within: (rest) => ({ kind: 'within', frames: toCount(rest, 'the number of frames') }),
  frames: (rest) => ({ kind: 'frames', count: toCount(rest, 'the number of frames') }),
  press: (rest) => {
    const words = rest.split(' ');
    return { kind: 'press', button: toButton(words.shift()), ...parsePressOptions(words) };
  },
  hold: (rest) => ({ kind: 'hold', button: toButton(rest) }),
  release: (rest) => ({ kind: 'release', button: toButton(rest) }),
  type: (rest) => ({ kind: 'type', text: required(rest, 'the text to type') }),
  screenshot: (rest) => {
    if (!/^[\w-]+$/.test(rest)) throw new ScriptError('a screenshot needs a name of letters, digits, _ and -');
    return { kind: 'screenshot', name: rest };
  },
  stick: parseStick,
  fail: (rest) => parseReadFault(rest, 'error'),
  shorten: (rest) => parseReadFault(rest, 'end'),
};

/** One line to a step; null for blank lines and comments. */
function parseLine(line) {
  const text = line.trim();
  if (text === '' || text.startsWith('#')) return null;
  const [command] = text.split(' ', 1);
  const parser = Object.hasOwn(PARSERS, command) ? PARSERS[command] : null;
  if (!parser) throw new ScriptError(`"${command}" is no step; steps: ${Object.keys(PARSERS).join(' ')}`);
  return parser(text.slice(command.length).trim());
}

/** All steps of a script. Throws a ScriptError that names the line. */
export function parseScript(text) {
  const parsed = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    try {
      const step = parseLine(line);
      if (step) parsed.push({ ...step, line: index + 1 });
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      throw new ScriptError(`Script, line ${index + 1}: ${error.message}.`);
    }
  }
  return parsed;
}
