#!/usr/bin/env node
// Plays a memory-stick tree in an emulated PSP: starts a program on it, presses buttons from a script, takes
// screenshots, shows a file as the program writes it, and collects what has changed. README.md describes it.
import fs from 'node:fs';
import path from 'node:path';
import { parsePlayArguments, USAGE } from './lib/play_arguments.mjs';
import { parseScript, ScriptError } from './lib/script_parser.mjs';
import { playSession } from './lib/session.mjs';
import { coreLayout, fetchCore } from './fetch_core.mjs';

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_WRONG_USE = 2;

function readScript(file) {
  if (file === null) return [{ kind: 'wait-exit', line: 0 }];
  return parseScript(fs.readFileSync(file, 'utf8'));
}

async function main(argv) {
  const options = parsePlayArguments(argv);
  if (options.help) {
    console.log(USAGE);
    return EXIT_DONE;
  }
  const steps = readScript(options.script);
  fetchCore(options.core);
  fs.mkdirSync(options.out, { recursive: true });
  const result = await playSession({ ...options, core: coreLayout(options.core), steps });
  fs.writeFileSync(path.join(options.out, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  if (!options.quiet) console.error(result.ok ? `played ${result.frames} frames: ${result.reason}` : `FAILED: ${result.reason}`);
  for (const fault of result.faults.slice(0, 10)) console.error(`  ${fault}`);
  return result.ok ? EXIT_DONE : EXIT_FAILED;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(`play: ${error.message}`);
  process.exit(error instanceof ScriptError || error.code?.startsWith('ERR_PARSE_ARGS') ? EXIT_WRONG_USE : EXIT_FAILED);
}
