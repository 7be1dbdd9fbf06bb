// Machines for sandboxes: clones of a snapshot per image and size, and a few of the usual kind kept ready.
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Machine, MicroVmEngine, Template } from '../microvm/port.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import type { Lease, MemoryBudget } from '../resources/memory-budget.ts';
import { dropFolder, idsIn } from '../resources/files.ts';
import { createTemplates, fileStamp } from '../resources/templates.ts';
import { untilIdle } from './idle.ts';
import type { SandboxImage } from './images.ts';
import { emulatorMib, scratchOf } from './options.ts';

export interface Kind {
  image: SandboxImage;
  memoryMib: number;
  cpus: number;
}
interface Readied {
  id: string;
  dir: string;
  machine: Machine;
  lease: Lease;
  /** It had waited for this. */
  spare: boolean;
}
export interface SandboxMachines {
  take(kind: Kind): Promise<Readied>;
  /** Makes the snapshot of a kind, if there is none; then its machines start fast. */
  prepare(kind: Kind): Promise<void>;
  /** Keeps `count` machines of this kind ready from now on. */
  keepSpares(kind: Kind, count: number): void;
  /** Ends one unused machine; false when there is none. */
  giveUpSpare(): Promise<boolean>;
  dirOf(id: string): string;
  /** Drops folders of machines that no sandbox has. */
  sweep(used: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  engine: MicroVmEngine;
  machinesDir: string;
  templatesDir: string;
  budget: MemoryBudget;
  /** Spares wait for a quiet moment, at most so long. */
  idleWithinMs: number;
  log(fields: Record<string, unknown>): void;
}

const maxTemplates = 8;
const maxTemplatesInMemory = 4;
/** What a held snapshot really occupies; its memory file is sparse. */
const templateMib = 128;
const takeMs = 10_000;
/** A new spare is made when the one taken has had time for its first program. */
const refillMs = 1_500;
const idleMs = 1_000;
/** After a spare was given up for its memory, or there was none for it. */
const laterMs = 30_000;
const settleMs = 150;
const warmMs = 60_000;

/** Read into memory before the snapshot, so that no sandbox reads it from disk: where the image has them. */
const warmTemplate = `python3 -c 'import json, os, re, subprocess, sys, tempfile, urllib.request' ; ls / ; cat /etc/os-release ; echo`;

/**
 * What a sandbox is asked for first, done once in a machine before it waits: the emulator has then translated
 * the code that does it. Nothing of it stays but that: programs end, and waking gives the machine fresh
 * randomness before the next.
 */
async function warmSpare(machine: Machine, env: Readonly<Record<string, string>>): Promise<void> {
  const options = { cwd: '/workspace', env, signal: AbortSignal.timeout(warmMs) };
  await machine.setEnvironment({});
  await machine.exec('/bin/echo', ['ready'], options);
  await machine.exec('/bin/sh', ['-s'], { ...options, stdin: Readable.from([Buffer.from('echo ready; ls / > /dev/null; cat /dev/null\n')]) });
  for (let times = 0; times < 2; times++) await machine.exec('python3', ['-c', 'import json, os, sys; print("ready")'], options);
}

export function createSandboxMachines(parts: Parts): SandboxMachines {
  const { engine, budget, log } = parts;
  const templates = createTemplates(parts.templatesDir);
  const templatesInMemory = new Map<string, { template: Template; lease: Lease }>();
  const spares: Readied[] = [];
  let wanted: { kind: Kind; count: number } | undefined;
  let refilling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const closing = new AbortController();

  const nameOf = ({ image, memoryMib, cpus }: Kind): string =>
    `s${createHash('sha256').update(`${image.disk}:${memoryMib}:${cpus}`).digest('hex').slice(0, 24)}`;
  const dirOf = (id: string): string => join(parts.machinesDir, id);
  const specOf = (kind: Kind, id: string) => ({
    id,
    dir: dirOf(id),
    disks: { base: kind.image.disk },
    memoryMib: kind.memoryMib,
    cpus: kind.cpus,
    scratchMib: scratchOf(kind.memoryMib),
  });

  const madeFromOf = async ({ image }: Kind): Promise<string> => `${await engine.platform()}:${fileStamp(image.disk)}`;

  async function find(kind: Kind): Promise<Template | undefined> {
    return templates.find(nameOf(kind), await madeFromOf(kind));
  }

  async function make(kind: Kind): Promise<Template> {
    const id = `t${randomUUID()}`;
    const madeFrom = await madeFromOf(kind);
    const lease = await budget.take(kind.memoryMib + emulatorMib, takeMs);
    const machine = await engine.boot(specOf(kind, id)).catch(async (error: unknown) => {
      lease.release();
      await dropFolder(dirOf(id));
      throw error;
    });
    try {
      const env = kind.image.env;
      await machine.exec('/bin/sh', ['-c', warmTemplate], { cwd: '/workspace', env, signal: AbortSignal.timeout(warmMs) }).catch(() => undefined);
      await dropOldest();
      return await templates.save(nameOf(kind), madeFrom, machine);
    } finally {
      await machine.kill();
      lease.release();
      await dropFolder(dirOf(id));
    }
  }

  async function dropOldest(): Promise<void> {
    const names = await idsIn(parts.templatesDir);
    const unused = names.filter((name) => !templatesInMemory.has(name));
    for (const name of unused.slice(0, Math.max(0, names.length - maxTemplates + 1))) await templates.drop(name);
  }

  /** The snapshot in memory, the most recently used last. */
  async function ready(kind: Kind): Promise<Template> {
    const name = nameOf(kind);
    return templates.exclusive(name, async () => {
      const template = (await find(kind)) ?? (await make(kind));
      await engine.hold(template);
      const already = templatesInMemory.get(name);
      templatesInMemory.delete(name);
      templatesInMemory.set(name, already ?? { template, lease: budget.assume(templateMib) });
      for (const [other, { template: old, lease }] of templatesInMemory) {
        if (templatesInMemory.size <= maxTemplatesInMemory) break;
        templatesInMemory.delete(other);
        engine.release(old);
        lease.release();
      }
      return template;
    });
  }

  async function forget(kind: Kind): Promise<void> {
    const mine = templatesInMemory.get(nameOf(kind));
    templatesInMemory.delete(nameOf(kind));
    if (mine !== undefined) engine.release(mine.template);
    mine?.lease.release();
    await templates.drop(nameOf(kind));
  }

  async function start(kind: Kind): Promise<Omit<Readied, 'lease' | 'spare'>> {
    for (let attempt = 0; ; attempt++) {
      const id = `m${randomUUID()}`;
      const template = await ready(kind);
      try {
        const machine = await engine.clone(template, { id, dir: dirOf(id), scratchMib: scratchOf(kind.memoryMib), memory: 'shared' });
        return { id, dir: dirOf(id), machine };
      } catch (error) {
        await dropFolder(dirOf(id));
        if (attempt > 0 || closed) throw error;
        // Made from other images than this host's: a new one is.
        log({ msg: 'sandbox_snapshot_dropped', error: String(error) });
        await forget(kind);
      }
    }
  }

  async function fill(): Promise<void> {
    while (!closed && wanted !== undefined && spares.length < wanted.count) {
      const { kind } = wanted;
      await untilIdle(idleMs, parts.idleWithinMs, closing.signal);
      // Spares take no memory that other machines may need.
      if (budget.usedMib + kind.memoryMib + emulatorMib > budget.limitMib * 0.75) return refill(laterMs);
      const spare = await makeSpare(kind);
      if (closed) return void (await end(spare));
      spares.push(spare);
      void spare.machine.stopped.then(() => {
        const at = spares.indexOf(spare);
        if (at < 0) return;
        spares.splice(at, 1);
        void end(spare).catch(() => undefined);
        refill(laterMs);
      });
    }
  }
  async function makeSpare(kind: Kind): Promise<Readied> {
    const began = Date.now();
    const lease = budget.assume(kind.memoryMib + emulatorMib);
    let one: Omit<Readied, 'lease' | 'spare'> | undefined;
    try {
      one = await start(kind);
      await warmSpare(one.machine, kind.image.env);
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      await one.machine.pause();
      log({ msg: 'sandbox_spare_ready', ms: Date.now() - began });
      return { ...one, lease, spare: true };
    } catch (error) {
      await one?.machine.kill();
      lease.release();
      if (one !== undefined) await dropFolder(one.dir);
      throw error;
    }
  }
  function refill(afterMs: number): void {
    clearTimeout(timer);
    if (closed || wanted === undefined) return;
    timer = setTimeout(() => {
      refilling ??= fill()
        .catch((error: unknown) => {
          if (closed) return;
          log({ msg: 'sandbox_spare_failed', error: String(error) });
          refill(laterMs);
        })
        .finally(() => (refilling = undefined));
    }, afterMs);
    timer.unref();
  }
  async function end(one: Readied): Promise<void> {
    await one.machine.kill();
    one.lease.release();
    await dropFolder(one.dir);
  }

  return {
    dirOf,
    async take(kind) {
      if (wanted !== undefined && nameOf(wanted.kind) === nameOf(kind)) {
        const one = spares.shift();
        refill(refillMs);
        if (one !== undefined) {
          try {
            await one.machine.wake();
            return one;
          } catch (error) {
            log({ msg: 'sandbox_spare_lost', error: String(error) });
            await end(one);
          }
        }
      }
      const lease = await budget.take(kind.memoryMib + emulatorMib, takeMs).catch((error: unknown) => {
        throw new SandboxError('no_capacity', error instanceof Error ? error.message : 'There is no memory for another sandbox.');
      });
      try {
        return { ...(await start(kind)), lease, spare: false };
      } catch (error) {
        lease.release();
        throw error;
      }
    },
    async prepare(kind) {
      await ready(kind);
    },
    keepSpares(kind, count) {
      const already = wanted !== undefined && nameOf(wanted.kind) === nameOf(kind) && wanted.count === count;
      wanted = count > 0 ? { kind, count } : undefined;
      if (already) return;
      for (const old of spares.splice(0)) void end(old).catch(() => undefined);
      refill(0);
    },
    async giveUpSpare() {
      const one = spares.shift();
      if (one === undefined) return false;
      await end(one);
      refill(laterMs);
      return true;
    },
    async sweep(used) {
      for (const id of await idsIn(parts.machinesDir)) {
        if (used.has(id)) continue;
        const left = await engine.adopt(dirOf(id)).catch(() => undefined);
        await left?.kill();
        await dropFolder(dirOf(id));
      }
    },
    async close() {
      closed = true;
      closing.abort();
      clearTimeout(timer);
      await refilling;
      await Promise.all(spares.splice(0).map(end));
      for (const { template, lease } of templatesInMemory.values()) {
        engine.release(template);
        lease.release();
      }
      templatesInMemory.clear();
    },
  };
}
