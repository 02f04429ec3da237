// What the program's emulated tests share: where the EBOOT and the models are, and playing a case that must go well.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { playCase, reasonToSkip } from '../emulator/lib/play_case.mjs';

const SHARED = process.env.PSPLLM_SHARED ?? '../shared';
const eboot = process.env.PSPLLM_EBOOT ?? '';
const workFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'pspllm-program-'));
test.after(() => fs.rmSync(workFolder, { recursive: true, force: true }));

/** A sentence when these tests cannot run here, or false. */
export function skipReason() {
  if (!fs.existsSync(eboot)) return `skipped: there is no EBOOT at PSPLLM_EBOOT (${eboot})`;
  if (!fs.existsSync(path.join(SHARED, 'golden', 'cases.json'))) {
    return `skipped: the shared data folder is absent (${SHARED}; PSPLLM_SHARED names another)`;
  }
  return reasonToSkip();
}

export function sharedPath(name) {
  return path.join(SHARED, name);
}

export function readShared(name) {
  return fs.readFileSync(sharedPath(name));
}

/** The two files of a model that lies in the shared folder, for the program's folder or one under models/. */
export function modelFiles(name, folder = '') {
  const sources = {
    stories260K_q80: ['data/models/stories260K_q80.bin', 'data/models/tok512.bin'],
    babyllama_q80: ['data/models/babyllama_q80.bin', 'data/models/babyllama/tokenizer.bin'],
  };
  const [model, tokenizer] = sources[name];
  return { [`${folder}model.bin`]: readShared(model), [`${folder}tokenizer.bin`]: readShared(tokenizer) };
}

const program = process.env.PSPLLM_PROGRAM ?? 'build/pspllm';

/** The host's command line; gives what it prints. */
export function pspllm(args, input = '') {
  return execFileSync(program, args, { input, encoding: 'utf8' });
}

/** The stories model as one that answers: a line that it ends is its answer. Path of a .pspm file. */
export function makeChatModel() {
  const file = path.join(workFolder, 'chat.pspm');
  pspllm(['convert', 'models/stories-2M/model.bin', file, '--template', 'plain', '--about', 'name: Stories in turns']);
  return file;
}

/** The menu's lines, as psp/screens/menu_screen.hpp has them. */
const MENU = ['go on', 'add words', 'begin anew', 'earlier prompts', 'save', 'settings', 'memory', 'models', 'benchmark',
  'controls', 'leave'];

/** Script steps that open the menu, for a look at it. */
export const OPEN_MENU = `press triangle
wait log screen: menu
frames 6
`;

/** Script steps that open the menu and choose a line of it; L goes to the first one. */
export function chooseInMenu(line) {
  const index = MENU.indexOf(line);
  assert.notEqual(index, -1, `the menu has no line "${line}"`);
  return `${OPEN_MENU}press l
press down times ${index}
press cross
`;
}

/** Plays and expects a clean log. `name` is also the folder's name. */
export function play(name, options) {
  const played = playCase({ eboot, folder: path.join(workFolder, name), ...options });
  assert.equal(played.status, 0, `${played.result?.reason ?? ''}\n${played.stderr}`);
  return played;
}

/** figures.txt as an object. */
export function figuresOf(played) {
  const text = played.read('figures.txt');
  assert.notEqual(text, null, 'figures.txt was written');
  return Object.fromEntries(text.trimEnd().split('\n').map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  }));
}
