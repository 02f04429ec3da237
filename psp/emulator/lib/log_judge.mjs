// What the emulator's log says about the program: what it printed, whether it left, and every sign of a fault.
//
// The core carries on after unknown instructions, wild memory accesses and calls that it does not know; a run in which
// that happened is a failed run, whatever the program made of it.

const FAULTS = [
  { pattern: /\[CPU\]/, levels: ['WARN', 'ERROR'], what: 'processor' },
  { pattern: /\bBREAK\b/, levels: ['INFO', 'WARN', 'ERROR'], what: 'break instruction' },
  { pattern: /\[MEMMAP\] ?\S/, levels: ['WARN', 'ERROR'], what: 'memory access' },
  { pattern: /\[(SCEKERNEL|LOADER|HLE|JIT|G3D|SCEGE)\]/, levels: ['ERROR'], what: 'system call' },
  { pattern: /Unknown syscall|Unimplemented HLE|JIT failed|Could not find executable/, levels: null, what: 'system call' },
  { pattern: /\bABORT\b|thread error/, levels: null, what: 'emulator' },
];
/** Said at every start, and harmless; and refusals that the program is told of by a code, as a console would. */
const HARMLESS = [/Memory system initialized/, /controls\.ini/, /Block Allocator .* failed to allocate/, /MEMBLOCK_ALLOC_FAILED=/];

const LEVEL = /\[libretro (INFO|WARN|ERROR|DEBUG)\]/;
const LEFT = /\[SCEKERNEL\].*sceKernelExitGame/;
/** Said on the frame in which the program's first instruction runs; what comes before differs from run to run. */
const STARTED = /\[LOADER\] Starting graphics/;
const PRINTED = /\[PRINTF\] (?:stdout: )?(.*)$/;

function faultIn(line) {
  if (HARMLESS.some((pattern) => pattern.test(line))) return null;
  const level = LEVEL.exec(line)?.[1] ?? null;
  const fault = FAULTS.find(({ pattern, levels }) => pattern.test(line) && (levels === null || levels.includes(level)));
  return fault ? `${fault.what}: ${line}` : null;
}

export class LogJudge {
  lines = [];
  faults = [];
  printed = [];
  hasStarted = false;
  hasExited = false;

  add(line) {
    this.lines.push(line);
    const fault = faultIn(line);
    if (fault) this.faults.push(fault);
    if (STARTED.test(line)) this.hasStarted = true;
    if (LEFT.test(line)) this.hasExited = true;
    const text = PRINTED.exec(line)?.[1];
    if (text !== undefined) this.printed.push(text);
  }
}
