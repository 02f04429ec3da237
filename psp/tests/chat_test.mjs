// A conversation on an emulated console, with a model that has a chat template: by hand, with pictures, and by autorun.
//
//   node --test psp/tests/chat_test.mjs
//     PSPLLM_EBOOT, PSPLLM_SHARED, PSPLLM_KEEP_PICTURES   as in interface_test.mjs
//     PSPLLM_PROGRAM                                       the host's command line (default build/pspllm)
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { comparePicture } from './pictures.mjs';
import { chooseInMenu, figuresOf, makeChatModel, OPEN_MENU, play, pspllm, skipReason } from './program.mjs';

const skip = skipReason();
const modelFile = skip ? null : makeChatModel();
const model = skip ? null : fs.readFileSync(modelFile);

/** The same answers every time. */
const SETTINGS = 'temperature=0.00\nseed=5\nlength=40\n';

const SESSION = `within 3000
wait log screen: chat
frames 10
screenshot chat-welcome
${chooseInMenu('settings')}wait log screen: settings
frames 4
press up
frames 4
press cross
wait log screen: keyboard
frames 100
type Be kind
press start
frames 30
screenshot chat-settings
press circle
wait log screen: chat
press cross
wait log screen: keyboard
frames 100
type There was a dog
press start
wait log screen: writing
wait log screen: chat
frames 10
press cross
wait log screen: keyboard
frames 100
type And a cat
press start
wait log screen: writing
wait log screen: chat
frames 10
screenshot chat
${OPEN_MENU}screenshot chat-menu
press circle
wait log screen: chat
press start
wait log screen: writing
press circle
wait log screen: chat
frames 6
${chooseInMenu('save')}wait log screen: chat
frames 6
${chooseInMenu('begin anew')}wait log screen: chat
frames 6
${chooseInMenu('leave')}wait exit
`;

test('a chat by hand: system prompt, turns, another answer, stop, save, a new one', { skip }, () => {
  const played = play('chat', {
    files: { 'model.pspm': model, 'settings.txt': SETTINGS },
    script: SESSION,
    args: ['--timeout', '600'],
  });
  for (const name of ['chat-welcome', 'chat-settings', 'chat', 'chat-menu']) comparePicture(played, name);
  assert.match(played.read('settings.txt'), /^system_prompt=Be kind$/m);
  const saved = played.result.changed.filter((name) => /chats\/.*\.txt$/.test(name));
  assert.equal(saved.length, 1);
  const chat = played.read(saved[0].replace(/^.*PspLlm\//, ''));
  assert.match(chat, /^Model: Stories in turns$/m);
  assert.match(chat, /^System prompt: Be kind\n\n> There was a dog\n/m);
  assert.equal(chat.match(/^> And a cat$/gm).length, 1, 'START took the answer back, not a new turn');
});

test('a chat by autorun is the one of the host, beyond its window', { skip }, () => {
  const turns = ['There was a dog.', 'What did the dog do?', 'And then?', 'The end?'];
  const lines = turns.map((turn) => `turn=${turn}\n`).join('');
  const played = play('chat-autorun', {
    files: {
      'model.pspm': model,
      'autorun.txt': `${lines}system=Be kind.\ntemperature=0.8\ntop_p=0.9\nseed=3\nturn_tokens=32\ncontext=64\n`,
    },
    script: 'wait log autorun: done\nwithin 300\nwait exit\n',
    args: ['--timeout', '600'],
  });
  const figures = figuresOf(played);
  assert.equal(figures.error, undefined);
  assert.ok(Number(figures.text_tokens) > 2 * Number(figures.context));
  const file = path.join(path.dirname(modelFile), 'host.txt');
  pspllm(['chat', modelFile, '--system', 'Be kind.', '-t', '0.8', '-p', '0.9', '-s', '3', '--turn-tokens', '32',
    '--context', '64'], `${turns.join('\n')}\n/save ${file}\n`);
  assert.equal(played.read('state.txt'), fs.readFileSync(file, 'utf8'));
});
