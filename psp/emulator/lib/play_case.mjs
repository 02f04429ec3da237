// For end-to-end tests: plays one case in a process of its own (the core fills the global object) and hands back what
// came of it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchCore } from '../fetch_core.mjs';

const PLAY = fileURLToPath(new URL('../play.mjs', import.meta.url));
const PROGRAM_FOLDER = 'PSP/GAME/PspLlm';

/** A sentence when emulated tests cannot run here (no 7z, no npm, no package), or false. For node:test's `skip`. */
export function reasonToSkip() {
  try {
    fetchCore();
    return false;
  } catch (error) {
    return `emulated tests are skipped: ${error.message}`;
  }
}

/**
 * Plays `script` with `eboot` and `files` (name in the program's folder to contents) on a fresh stick below `folder`.
 * Returns {status, result, stdout, stderr, read(name) -> string | null, picture(name) -> Buffer}.
 */
export function playCase({ eboot, files = {}, script, folder, args = [] }) {
  fs.rmSync(folder, { recursive: true, force: true });
  const stick = path.join(folder, 'given');
  const programFolder = path.join(stick, PROGRAM_FOLDER);
  fs.mkdirSync(programFolder, { recursive: true });
  fs.copyFileSync(eboot, path.join(programFolder, 'EBOOT.PBP'));
  for (const [name, contents] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(programFolder, name)), { recursive: true });
    fs.writeFileSync(path.join(programFolder, name), contents);
  }
  const scriptFile = path.join(folder, 'script.txt');
  fs.writeFileSync(scriptFile, script);
  const out = path.join(folder, 'out');
  const { status, stdout, stderr } = spawnSync(process.execPath,
    [PLAY, '--stick', stick, '--out', out, '--script', scriptFile, '--quiet', ...args], { encoding: 'utf8' });
  const resultFile = path.join(out, 'result.json');
  const result = fs.existsSync(resultFile) ? JSON.parse(fs.readFileSync(resultFile, 'utf8')) : null;
  const changed = (name) => path.join(out, 'stick', PROGRAM_FOLDER, name);
  return {
    status, result, stdout, stderr,
    read: (name) => (fs.existsSync(changed(name)) ? fs.readFileSync(changed(name), 'utf8') : null),
    picture: (name) => fs.readFileSync(path.join(out, `${name}.png`)),
  };
}
