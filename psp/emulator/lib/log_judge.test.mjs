import assert from 'node:assert/strict';
import test from 'node:test';
import { LogJudge } from './log_judge.mjs';

function judge(...lines) {
  const log = new LogJudge();
  lines.forEach((line) => log.add(line));
  return log;
}

test('what the program prints, its start and its end are seen', () => {
  const log = judge('[libretro INFO] [LOADER] Starting graphics...',
    '[libretro INFO] [PRINTF] stdout: ready=yes', '[libretro INFO] [SCEKERNEL] sceKernelExitGame');
  assert.deepEqual(log.printed, ['ready=yes']);
  assert.ok(log.hasStarted && log.hasExited);
  assert.deepEqual(log.faults, []);
});

test('faults of the program are seen', () => {
  for (const line of [
    '[libretro ERROR] [CPU] Unknown instruction 70851002 at 08804010 v.v',
    '[libretro WARN] [MEMMAP] ReadFromHardware: Invalid address 00000000 near PC 08804000',
    '[libretro ERROR] [MEMMAP] WriteToHardware: Invalid address 00000010',
    '[libretro ERROR] [HLE] Unknown syscall in module',
    '[libretro ERROR] [SCEKERNEL] bad thread',
    'Unimplemented HLE function sceFoo',
    'ABORT out of memory',
    'thread error: RuntimeError',
  ]) {
    assert.equal(judge(line).faults.length, 1, line);
  }
});

test('harmless lines and handled refusals are no faults', () => {
  for (const line of [
    '[libretro INFO] [MEMMAP] Memory system initialized. Base at 0x1 (RAM at @ 0x2)',
    '[libretro WARN] [SCEIO] ERRNO_FILE_NOT_FOUND=sceIoGetstat(ms0:/x)',
    '[libretro ERROR] [SCEKERNEL] MEMBLOCK_ALLOC_FAILED=sceKernelAllocPartitionMemory(2, PspLlm, 0, 01400000, 0)',
    '[libretro ERROR] [SYSTEM] Exception handler not implemented on this platform',
    '[libretro INFO] [PRINTF] stdout: [CPU] is only a word here',
  ]) {
    assert.deepEqual(judge(line).faults, [], line);
  }
});
