// The engine: machines from images, from templates, or from what an earlier process of this host left behind.
import { mkdir, open, realpath, rm } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { Gate } from './deadline.ts';
import { exists } from './images/cache.ts';
import type { Images } from './images/images.ts';
import { MicroVmError } from './images/tools.ts';
import { type MachineOptions, QemuMachine } from './machine.ts';
import { createHolders, type Holders } from './memory/hold.ts';
import type { CloneMemory, Machine, MachineSpec, MicroVmEngine, Template } from './port.ts';
import { hostFacts, qemuVersion } from './qemu/accelerator.ts';
import { type Accelerator, kernelCommandLine } from './qemu/arguments.ts';
import { copySparse, readTemplate } from './template.ts';
import { endLive, paths, reach } from './qemu/live.ts';
import { bootId, endProcess, isAlive, type ProcessId, processIn } from './qemu/process.ts';
import { isDurable, markName, readRecord, type Record } from './qemu/record.ts';
import { claimUid, give, releaseUid } from './qemu/uid.ts';
import { ReadyProcesses } from './ready.ts';

export interface EngineOptions {
  /** The user's cache folder; the result of the trial boot is kept there. */
  cacheDir: string;
  /** What machines boot from now. */
  images(): Images;
  /** Skips the trial boot. */
  accelerator?: Accelerator;
  /** How many machines boot, and how many wake, at once; the number of cores when not given. */
  parallel?: number;
  /** A machine that does not answer in this time after its start is ended. Default 60,000. */
  bootMs?: number;
  /** How many suspended machines have a process that waits for their wake (see ready.ts). Default: none. */
  ready?: number;
  /** Kernel messages into `vm/console.log` of a machine's folder. Unbounded: for debugging only. */
  debugConsole?: boolean;
}

export function createEngine(options: EngineOptions): MicroVmEngine {
  const parallel = options.parallel ?? availableParallelism();
  const boots = new Gate(parallel);
  const holders = createHolders(options.cacheDir);
  const ready = new ReadyProcesses(options.ready ?? 0, endLive);
  const machineOptions = { wakes: new Gate(parallel), bootMs: options.bootMs ?? 60_000, ready };

  const boot = async (spec: MachineSpec, facts: { accelerator: Accelerator; clockRateKhz: number }, bootMs?: number): Promise<Machine> => {
    const debugConsole = options.debugConsole ?? false;
    const images = options.images();
    const record: Record = {
      version: 1,
      id: spec.id,
      memory_mib: spec.memoryMib,
      cpus: spec.cpus,
      scratch_mib: spec.scratchMib,
      ...(spec.swapMib === undefined ? {} : { swap_mib: spec.swapMib }),
      ...(spec.dataDisk === undefined ? {} : { data: spec.dataDisk }),
      base: spec.disks.base,
      ...(spec.disks.layer === undefined ? {} : { layer: spec.disks.layer }),
      ...(images.guest === undefined ? {} : { guest: images.guest }),
      kernel: images.kernel,
      initrd: images.initrd,
      append: kernelCommandLine(spec, { ...facts, debugConsole }),
      accelerator: facts.accelerator,
      clock_rate_khz: facts.clockRateKhz,
      debug_console: debugConsole,
      phase: 'starting',
      boot_id: await bootId(),
      durable: false,
    };
    const dir = await prepare(spec.dir);
    const owned = await own(dir, record);
    await emptyFile(paths(dir).memory, spec.memoryMib, owned.uid);
    await swapDisk(dir, owned);
    if (owned.data !== undefined) await give(owned.data, owned.uid);
    const machine = new QemuMachine(dir, owned, { ...machineOptions, bootMs: bootMs ?? machineOptions.bootMs });
    await boots.run(() => machine.boot());
    return machine;
  };

  const trial = (spec: MachineSpec, clockRateKhz: number, deadlineMs: number) => boot(spec, { accelerator: 'kvm', clockRateKhz }, deadlineMs);
  const facts = once(() => hostFacts({ ...options, images: options.images() }, trial));

  const machine = once(async () => [(await facts()).accelerator, await qemuVersion(), cpus()[0]?.model ?? '']);
  const platform = async (): Promise<string> => {
    const { kernel, initrd, guest = '' } = options.images();
    return [kernel, initrd, guest, ...(await machine())].join(':');
  };

  return {
    platform,
    accelerator: async () => (await facts()).accelerator,
    boot: async (spec) => boot(spec, await facts()),
    clone: (template, spec) => clone(template, spec, options.images(), machineOptions, holders),
    hold: async ({ dir }) => void (await holders.path(paths(dir).memory)),
    release: ({ dir }) => holders.release(paths(dir).memory),
    adopt: (dir) => adopt(dir, machineOptions),
    endReady: () => ready.close(),
  };
}

async function clone(
  template: Template,
  spec: Omit<MachineSpec, 'disks' | 'memoryMib' | 'cpus' | 'swapMib'> & { memory?: CloneMemory },
  images: Images,
  options: MachineOptions,
  holders: Holders,
): Promise<Machine> {
  const saved = await readTemplate(template.dir);
  // An older guest entry or kernel lives on inside a snapshot, where this host could not tell it from the
  // current one.
  if (saved.kernel !== images.kernel || saved.initrd !== images.initrd || saved.guest !== images.guest)
    throw new MicroVmError('restore_failed', `The template in ${template.dir} was made from other images; save one again.`);
  if ((saved.data === undefined) !== (spec.dataDisk === undefined))
    throw new MicroVmError('restore_failed', 'A clone has a data disk exactly if the machine of its template had one.');
  const dir = await prepare(spec.dir);
  const { pid: _pid, start_time: _start, uid: _uid, data: _data, ...rest } = saved;
  const shared = spec.memory === 'shared';
  const data = spec.dataDisk === undefined ? {} : { data: spec.dataDisk };
  const record = await own(dir, { ...rest, ...data, id: spec.id, phase: 'starting', boot_id: await bootId(), durable: false, shared_memory: shared });
  await swapDisk(dir, record);
  if (record.data !== undefined) await give(record.data, record.uid);
  if (shared) {
    const machine = new QemuMachine(dir, record, options);
    await machine.restoreClone(paths(template.dir).state, await holders.path(paths(template.dir).memory));
    return machine;
  }
  await copySparse(paths(template.dir).memory, paths(dir).memory);
  await give(paths(dir).memory, record.uid);
  const machine = new QemuMachine(dir, record, options);
  await machine.restoreClone(paths(template.dir).state);
  return machine;
}

async function adopt(given: string, options: MachineOptions): Promise<Machine | undefined> {
  const dir = await realpath(given).catch(() => undefined);
  if (dir === undefined) return undefined;
  const record = await readRecord(dir);
  const processId = await processOf(dir, record);
  const sameBoot = record?.boot_id === (await bootId());
  if (record !== undefined && record.phase === 'running' && processId !== undefined) {
    const machine = new QemuMachine(dir, record, options);
    try {
      const live = await reach(dir, processId);
      const status = await live.qmp.command('query-status');
      const running = typeof status === 'object' && status !== null && 'status' in status && status.status === 'running';
      await machine.adoptRunning(live, running);
      return machine;
    } catch {
      await machine.kill();
    }
  } else if (
    record !== undefined &&
    ((record.phase === 'suspended' && (sameBoot || (await isDurable(dir, record)))) || (record.phase === 'waking' && sameBoot))
  ) {
    if (processId !== undefined) await endProcess(processId);
    const machine = new QemuMachine(dir, { ...record, boot_id: await bootId() }, options);
    machine.adoptSuspended();
    return machine;
  }
  // Nothing to take back: leave no process and no memory behind.
  if (processId !== undefined) await endProcess(processId);
  await clear(dir);
  await releaseUid(record?.uid);
  return undefined;
}

async function processOf(dir: string, record: Record | undefined): Promise<ProcessId | undefined> {
  if (record?.pid !== undefined && record.start_time !== undefined && record.boot_id === (await bootId())) {
    const id = { pid: record.pid, startTime: record.start_time };
    if (await isAlive(id)) return id;
  }
  return processIn(paths(dir).vm);
}

async function prepare(given: string): Promise<string> {
  await mkdir(given, { recursive: true, mode: 0o700 });
  const dir = await realpath(given);
  const { vm } = paths(dir);
  const earlier = (await exists(vm)) ? await processIn(vm) : undefined;
  if (earlier !== undefined) await endProcess(earlier);
  await clear(dir);
  await mkdir(vm, { mode: 0o700 });
  return dir;
}

async function clear(dir: string): Promise<void> {
  const { vm, memory, state, swap } = paths(dir);
  for (const path of [vm, memory, state, swap, join(dir, markName)]) await rm(path, { recursive: true, force: true });
}

/** Sparse: it takes disk only as it is filled. */
async function emptyFile(path: string, mib: number, uid: number | undefined): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.truncate(mib * 1024 * 1024);
  await file.close();
  await give(path, uid);
}

/** Each machine's own and empty: a template is saved before its guest uses one. */
async function swapDisk(dir: string, record: Record): Promise<void> {
  if (record.swap_mib !== undefined) await emptyFile(paths(dir).swap, record.swap_mib, record.uid);
}

async function own(dir: string, record: Record): Promise<Record> {
  const uid = await claimUid(dir);
  await give(paths(dir).vm, uid);
  return uid === undefined ? record : { ...record, uid };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    made.catch(() => (made = undefined));
    return made;
  };
}
