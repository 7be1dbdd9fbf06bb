// All sandboxes of this machine: made once per id, taken back after a restart, ended when idle.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine, MicroVmEngine } from '../microvm/port.ts';
import type { Pieces } from '#drivers/sandbox/pieces.ts';
import { SandboxError, type SandboxStatus } from '#drivers/sandbox/port.ts';
import { type CreateBody, SandboxId } from '#drivers/sandbox/wire.ts';
import type { EgressConfiguration } from '../egress/policy.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import type { QuestionBook } from '../egress/questions.ts';
import type { MemoryBudget } from '../resources/memory-budget.ts';
import { type LogBook, openLogBook } from '../resources/log-book.ts';
import { dropFolder, idsIn } from '../resources/files.ts';
import { proxyVariables, sandboxEgress } from './egress.ts';
import { createSandboxMachines, type Kind } from './machines.ts';
import { emulatorMib, machineMemory, type SandboxSettings } from './options.ts';
import { loadSandbox, type SandboxRecord, saveSandbox } from './record.ts';
import { createSandbox, type Sandbox, sandboxDir, serveEgress } from './sandbox.ts';
import { putFiles } from './workspace.ts';

export interface Sandboxes {
  create(input: CreateBody, files: Pieces): Promise<SandboxStatus>;
  find(id: string): Sandbox | undefined;
  get(id: string): Sandbox;
  list(): SandboxStatus[];
  /** Ends it; nothing when there is none of that name. */
  end(id: string, reason: string, polite: boolean): Promise<void>;
  remove(id: string): Promise<void>;
  /** For the governor of processor time. */
  governed(): { id: string; machineDir: string; cpuMillis: number }[];
  giveUpSpare(): Promise<boolean>;
  tick(): void;
  /** Leaves them running unless asked to end them. */
  close(options: { end: boolean }): Promise<void>;
}

export interface SandboxParts {
  engine: MicroVmEngine;
  stateDir: string;
  budget: MemoryBudget;
  settings: SandboxSettings;
  platform: Pick<EgressConfiguration, 'controlPlane' | 'agentsDomain' | 'guestSocket'>;
  questions: Pick<QuestionBook, 'ask'>;
  log(fields: Record<string, unknown>): void;
}

export async function createSandboxes(parts: SandboxParts): Promise<Sandboxes> {
  const { settings, budget, log } = parts;
  const root = join(parts.stateDir, 'sandbox');
  const machinesDir = join(parts.stateDir, 'sandbox-vm');
  const templatesDir = join(parts.stateDir, 'sandbox-template');
  for (const dir of [root, machinesDir, templatesDir]) await mkdir(dir, { recursive: true, mode: 0o711 });
  const machines = createSandboxMachines({ engine: parts.engine, machinesDir, templatesDir, budget, idleWithinMs: settings.idleWithinMs, log });
  const sandboxes = new Map<string, Sandbox>();
  const creating = new Map<string, Promise<Sandbox>>();

  const usable = (): number => [...sandboxes.values()].filter((one) => one.running !== undefined).length + creating.size;
  const egressOf = ({ sandbox_id, egress }: Pick<SandboxRecord, 'sandbox_id' | 'egress'>, book: LogBook): EgressProxy | undefined =>
    egress.length === 0
      ? undefined
      : sandboxEgress(egress, parts.platform, {
          ask: (target) => parts.questions.ask({ guest: sandbox_id, ...target }),
          onRefusal: (text) => book.add({ at: Date.now(), stream: 'system', text }),
        });

  const usualKind = async (): Promise<Kind> => {
    const { image, memoryMib, cpus } = settings.usual;
    return { image: await settings.images.find(image), memoryMib: machineMemory(memoryMib), cpus };
  };
  const isUsual = ({ image, memory_mib, cpus }: CreateBody): boolean =>
    image === settings.usual.image && machineMemory(memory_mib) === machineMemory(settings.usual.memoryMib) && cpus === settings.usual.cpus;

  function check(input: CreateBody): void {
    if (usable() >= settings.maxRunning) throw new SandboxError('no_capacity', `This machine runs ${settings.maxRunning} sandboxes at once; end some.`);
    const limit = Math.min(settings.maxMemoryMib, budget.limitMib - emulatorMib);
    if (machineMemory(input.memory_mib) > limit)
      throw new SandboxError('bad_request', `A sandbox may have ${limit} MiB of memory here, not ${input.memory_mib}.`);
  }

  async function begin(input: CreateBody, files: Pieces): Promise<Sandbox> {
    const { env, ...rest } = input;
    const image = await settings.images.find(input.image);
    const kind: Kind = { image, memoryMib: machineMemory(input.memory_mib), cpus: input.cpus };
    const dir = sandboxDir(root, input.sandbox_id);
    await dropFolder(dir);
    const { id, dir: machineDir, machine, lease, spare } = await machines.take(kind);
    if (isUsual(input)) machines.keepSpares(kind, settings.spares);
    const now = Date.now();
    const record: SandboxRecord = { ...rest, state: 'starting', machine: id, machine_mib: kind.memoryMib, created_at: now, last_used_at: now };
    let egress: EgressProxy | undefined;
    try {
      // The guest takes its variables while this host writes what it needs to know after a crash.
      const proxied = input.egress.length === 0 ? {} : proxyVariables();
      const configured = machine.setEnvironment({ ...image.env, ...proxied, ...env }).catch((error: unknown) => Promise.reject(asBadRequest(error)));
      configured.catch(() => undefined); // awaited below
      await saveSandbox(dir, record);
      const book = await openLogBook(dir);
      egress = egressOf(input, book);
      serveEgress(machine, egress);
      await configured;
      await putFiles(machine, dir, files);
      record.state = 'running';
      record.last_used_at = Date.now();
      await saveSandbox(dir, record);
      log({ msg: 'sandbox_started', sandbox_id: input.sandbox_id, image: input.image, spare, ms: Date.now() - now });
      return createSandbox(dir, record, book, { machine, machineDir, lease, egress });
    } catch (error) {
      await machine.kill();
      egress?.close();
      lease.release();
      await dropFolder(machineDir);
      await dropFolder(dir);
      throw error;
    }
  }

  async function recoverOne(id: string): Promise<void> {
    const dir = sandboxDir(root, id);
    const record = await loadSandbox(dir);
    if (record === undefined || record.state === 'starting' || record.sandbox_id !== id) return dropFolder(dir);
    const book = await openLogBook(dir);
    const machineDir = machines.dirOf(record.machine);
    const machine: Machine | undefined = record.state === 'running' ? await parts.engine.adopt(machineDir).catch(() => undefined) : undefined;
    if (machine === undefined) {
      record.state = 'stopped';
      await saveSandbox(dir, record);
      sandboxes.set(id, createSandbox(dir, record, book, undefined));
      return;
    }
    const lease = budget.assume(record.machine_mib + emulatorMib);
    const egress = egressOf(record, book);
    serveEgress(machine, egress);
    record.last_used_at = Date.now();
    sandboxes.set(id, createSandbox(dir, record, book, { machine, machineDir, lease, egress }));
    log({ msg: 'sandbox_recovered', sandbox_id: id });
  }

  /** Beyond the bound, those that stopped longest ago are forgotten with their logs. */
  async function forgetOldest(): Promise<void> {
    const stopped = [...sandboxes.values()].filter((one) => one.running === undefined).sort((a, b) => a.record.last_used_at - b.record.last_used_at);
    for (const one of stopped.slice(0, Math.max(0, sandboxes.size - settings.maxKept))) await remove(one.record.sandbox_id);
  }

  async function remove(id: string): Promise<void> {
    await creating.get(id)?.catch(() => undefined);
    await sandboxes.get(id)?.end('removed', false);
    sandboxes.delete(id);
    await dropFolder(sandboxDir(root, SandboxId.parse(id)));
  }

  for (const id of await idsIn(root)) await recoverOne(id);
  for (const name of await readdir(root)) if (!sandboxes.has(name)) await rm(join(root, name), { recursive: true, force: true });
  await machines.sweep(new Set([...sandboxes.values()].filter((one) => one.running !== undefined).map((one) => one.record.machine)));
  let preparing: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    try {
      const kind = await usualKind();
      if (settings.spares > 0) machines.keepSpares(kind, settings.spares);
      else await machines.prepare(kind);
    } catch (error) {
      log({ msg: 'sandbox_prepare_failed', error: String(error) });
    }
  };
  const timer = setTimeout(() => (preparing = prepare()), settings.prepareAfterMs);
  timer.unref();

  return {
    async create(input, files) {
      const already = sandboxes.get(input.sandbox_id) ?? (await creating.get(input.sandbox_id));
      if (already !== undefined) return already.status();
      check(input);
      const work = begin(input, files);
      creating.set(input.sandbox_id, work);
      try {
        const made = await work;
        sandboxes.set(input.sandbox_id, made);
        return made.status();
      } finally {
        creating.delete(input.sandbox_id);
        void forgetOldest().catch(() => undefined);
      }
    },
    find: (id) => sandboxes.get(id),
    get(id) {
      const sandbox = sandboxes.get(id);
      if (sandbox === undefined) throw new SandboxError('not_found', `There is no sandbox ${id} on this host.`);
      return sandbox;
    },
    list: () => [...sandboxes.values()].map((one) => one.status()),
    async end(id, reason, polite) {
      await creating.get(id)?.catch(() => undefined);
      await sandboxes.get(id)?.end(reason, polite);
    },
    remove,
    governed: () =>
      [...sandboxes.values()].flatMap(({ record, running }) =>
        running === undefined ? [] : [{ id: record.machine, machineDir: running.machineDir, cpuMillis: record.cpus * 1_000 }],
      ),
    giveUpSpare: () => machines.giveUpSpare(),
    tick() {
      for (const one of sandboxes.values()) one.tick();
    },
    async close({ end }) {
      clearTimeout(timer);
      await Promise.allSettled(creating.values());
      await preparing;
      await machines.close();
      if (end) await Promise.all([...sandboxes.values()].map((one) => one.end('The host stopped.', false)));
    },
  };
}

const asBadRequest = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'qemu_refused' ? new SandboxError('bad_request', `env: ${error.message}`) : error;
