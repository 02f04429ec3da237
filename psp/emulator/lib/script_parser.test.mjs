import assert from 'node:assert/strict';
import test from 'node:test';
import { parseScript, ScriptError } from './script_parser.mjs';

function stepsOf(text) {
  return parseScript(text).map(({ line: _line, ...step }) => step);
}

test('every step is understood', () => {
  assert.deepEqual(stepsOf(`
# a comment
wait log ready now
wait file state.txt
wait file state.txt has the end
wait exit
within 20
frames 5
press cross
press down times 3 hold 2
hold l
release l
type Hello, world
screenshot main_menu-2
stick read-only
stick full
stick room 100
stick normal
fail read model.bin at 1000
shorten read model.bin at 1000
`), [
    { kind: 'wait-log', text: 'ready now' },
    { kind: 'wait-file', path: 'state.txt', text: null },
    { kind: 'wait-file', path: 'state.txt', text: 'the end' },
    { kind: 'wait-exit' },
    { kind: 'within', frames: 20 },
    { kind: 'frames', count: 5 },
    { kind: 'press', button: 'cross', hold: 3, times: 1 },
    { kind: 'press', button: 'down', hold: 2, times: 3 },
    { kind: 'hold', button: 'l' },
    { kind: 'release', button: 'l' },
    { kind: 'type', text: 'Hello, world' },
    { kind: 'screenshot', name: 'main_menu-2' },
    { kind: 'stick', room: Infinity, readOnly: true },
    { kind: 'stick', room: 0, readOnly: false },
    { kind: 'stick', room: 100, readOnly: false },
    { kind: 'stick', room: Infinity, readOnly: false },
    { kind: 'read-fault', fault: 'error', path: 'model.bin', offset: 1000 },
    { kind: 'read-fault', fault: 'end', path: 'model.bin', offset: 1000 },
  ]);
});

test('steps know their lines, whatever the line ends', () => {
  assert.deepEqual(parseScript('\r\n# x\r\n  frames 1  \r\nwait exit').map((step) => step.line), [3, 4]);
  assert.deepEqual(parseScript(''), []);
});

test('mistakes are told with the line', () => {
  const mistakes = {
    'dance': 'Script, line 1: "dance" is no step; steps: wait within frames press hold release type screenshot stick fail shorten.',
    'frames 1\nframes x': 'Script, line 2: the number of frames must be a whole number, not "x".',
    'frames -1': 'Script, line 1: the number of frames must be a whole number, not "-1".',
    'press': /"" is no button; buttons: cross square/,
    'press cross for 3': 'Script, line 1: "for" is not understood; expected hold N or times N.',
    'press cross hold': 'Script, line 1: hold must be a whole number, not "".',
    'wait': 'Script, line 1: wait "" is not understood; expected log, file or exit.',
    'wait log': 'Script, line 1: the text to wait for is missing.',
    'wait file': 'Script, line 1: the file to wait for is missing.',
    'wait exit now': 'Script, line 1: "now" is not understood here.',
    'screenshot a/b': 'Script, line 1: a screenshot needs a name of letters, digits, _ and -.',
    'stick lost': 'Script, line 1: stick "lost" is not understood; expected normal, full, read-only or room BYTES.',
    'fail write x at 3': 'Script, line 1: expected "read PATH at OFFSET".',
  };
  for (const [text, expected] of Object.entries(mistakes)) {
    assert.throws(() => parseScript(text), (error) => {
      assert.ok(error instanceof ScriptError);
      if (typeof expected === 'string') assert.equal(error.message, expected);
      else assert.match(error.message, expected);
      return true;
    });
  }
});

test('names of inherited properties are no buttons and no steps', () => {
  assert.throws(() => parseScript('press toString'), ScriptError);
  assert.throws(() => parseScript('constructor 1'), ScriptError);
});
