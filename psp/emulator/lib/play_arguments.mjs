// The command line of play.mjs.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_FOLDER } from '../fetch_core.mjs';
import { ScriptError } from './script_parser.mjs';

const DEFAULT_PROGRAM = 'PSP/GAME/PspLlm/EBOOT.PBP';
const DEFAULT_TIMEOUT_SECONDS = 120;

export const USAGE = `Plays a memory-stick tree in an emulated PSP (PPSSPP under Node).

usage: node psp/emulator/play.mjs --stick FOLDER --out FOLDER [options]

  --stick FOLDER      what lies on the memory stick (a folder with PSP/GAME/... in it)
  --out FOLDER        gets the changed files (stick/), screenshots, emulator.log and result.json
  --program PATH      program to start, on the stick (default: ${DEFAULT_PROGRAM})
  --script FILE       what to do, one step a line (default: wait until the program leaves)
  --watch PATH        show this file of the stick on standard output as it grows
  --timeout SECONDS   give up after this much real time (default: ${DEFAULT_TIMEOUT_SECONDS})
  --model NAME        psp_1000 or psp_2000_3000 (default: psp_2000_3000)
  --set KEY=VALUE     a setting of the core, e.g. ppsspp_cpu_core=Interpreter; may be repeated
  --confirm BUTTON    button that types on the system keyboard: cross or circle (default: cross)
  --core FOLDER       the emulator's core (default: build/downloads/ppsspp; fetched when it is not there)
  --log               show the emulator's log as it comes
  --quiet             say nothing when all went well
  --help              this text

Exit status: 0 the script was played and the log is clean, 1 it was not, 2 wrong use.`;

function parseSettings(pairs) {
  return Object.fromEntries(pairs.map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw new ScriptError(`--set expects KEY=VALUE, not "${pair}"`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  }));
}

function required(value, name) {
  if (value === undefined) throw new ScriptError(`--${name} is missing; --help lists the options`);
  return path.resolve(value);
}

function oneOf(value, allowed, name) {
  if (!allowed.includes(value)) throw new ScriptError(`--${name} expects ${allowed.join(' or ')}, not "${value}"`);
  return value;
}

/** Throws an Error with a sentence when the arguments are wrong. */
export function parsePlayArguments(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      stick: { type: 'string' }, out: { type: 'string' }, program: { type: 'string', default: DEFAULT_PROGRAM },
      script: { type: 'string' }, watch: { type: 'string' },
      timeout: { type: 'string', default: String(DEFAULT_TIMEOUT_SECONDS) },
      model: { type: 'string', default: 'psp_2000_3000' }, set: { type: 'string', multiple: true, default: [] },
      confirm: { type: 'string', default: 'cross' }, core: { type: 'string', default: DEFAULT_FOLDER },
      log: { type: 'boolean', default: false }, quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { help: true };
  const timeoutSeconds = Number(values.timeout);
  if (!(timeoutSeconds > 0)) throw new ScriptError(`--timeout expects a number of seconds, not "${values.timeout}"`);
  const confirm = oneOf(values.confirm, ['cross', 'circle'], 'confirm');
  return {
    help: false, stick: required(values.stick, 'stick'), out: required(values.out, 'out'), program: values.program,
    script: values.script === undefined ? null : path.resolve(values.script), watch: values.watch ?? null,
    timeoutSeconds, core: path.resolve(values.core), showLog: values.log, quiet: values.quiet, confirm,
    settings: {
      ppsspp_psp_model: oneOf(values.model, ['psp_1000', 'psp_2000_3000'], 'model'),
      ppsspp_button_preference: confirm === 'cross' ? 'Cross' : 'Circle',
      ...parseSettings(values.set),
    },
  };
}
