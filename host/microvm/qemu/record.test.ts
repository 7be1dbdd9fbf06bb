import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isDurable, markName, readRecord, type Record, writeRecord } from './record.ts';

let dir: string;
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'svc-record-test-'))));
afterEach(() => rm(dir, { recursive: true, force: true }));

const asleep: Record = {
  version: 1,
  id: 'm',
  memory_mib: 256,
  cpus: 1,
  scratch_mib: 64,
  base: '/base',
  kernel: '/kernel',
  initrd: '/initrd',
  append: '',
  accelerator: 'tcg',
  clock_rate_khz: 1,
  debug_console: false,
  phase: 'suspended',
  boot_id: 'this one',
  durable: false,
};
const durable: Record = { ...asleep, durable: true };
const waking: Record = { ...asleep, phase: 'waking' };

it('is durable once it was written so; from the wake on the earlier record counts for nothing, should it be what a power cut left', async () => {
  await writeRecord(dir, asleep);
  expect(await isDurable(dir, asleep)).toBe(false);
  for (let round = 0; round < 2; round++) {
    await writeRecord(dir, durable, asleep);
    expect(await isDurable(dir, durable)).toBe(true);
    await writeRecord(dir, { ...durable, pid: 7 }, durable);
    expect(await isDurable(dir, durable)).toBe(true);
    await writeRecord(dir, waking, durable);
    expect(await readRecord(dir)).toEqual(waking);
    expect(await isDurable(dir, durable)).toBe(false);
  }
});

it('of a version without marks is durable as it says, until it wakes', async () => {
  await writeRecord(dir, durable, asleep);
  await rm(join(dir, markName));
  expect(await isDurable(dir, durable)).toBe(true);
  await writeRecord(dir, waking, durable);
  expect(await isDurable(dir, waking)).toBe(false);
});
