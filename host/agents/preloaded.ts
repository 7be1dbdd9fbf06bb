// A machine with the SDK loaded and no agent in it, as a snapshot: what agents whose layer is small are
// started from. It exists for the one shape that agents have unless they say otherwise; others boot.
import { join } from 'node:path';
import type { MachineSpec, Template } from '../microvm/port.ts';
import { type BringUpParts, link } from './bring-up.ts';
import { overheadMib } from '../resources/memory-budget.ts';
import { dropFolder } from '../resources/files.ts';
import { fileStamp, type SharedTemplates } from '../resources/templates.ts';

export type Shape = Pick<MachineSpec, 'memoryMib' | 'cpus' | 'scratchMib'>;

const name = '_preloaded';
const preloadMs = 120_000;

/** Longer than a host takes to make it; an agent boots then. */
const findMs = 30_000;

export interface Preloaded {
  /** Idempotent; what goes wrong is logged, agents boot then. */
  make(signal: AbortSignal): Promise<void>;
  /** Waits while a host makes it; undefined where there is none of this shape. */
  find(shape: Shape, signal: AbortSignal): Promise<Template | undefined>;
  /** It could not be restored: another one is made. */
  replace(): Promise<void>;
}

export interface PreloadedParts extends Pick<BringUpParts, 'engine' | 'base' | 'controlPlane' | 'ca' | 'log'> {
  templates: SharedTemplates;
  /** Takes memory of the host's for a while. */
  take(mib: number, timeoutMs: number): Promise<{ release(): void }>;
  /** Aborts when the host stops. */
  stopping: AbortSignal;
}

export function createPreloaded(parts: PreloadedParts, shape: Shape, dir: string): Preloaded {
  const { templates } = parts;
  const fits = (one: Shape): boolean => one.memoryMib === shape.memoryMib && one.cpus === shape.cpus && one.scratchMib === shape.scratchMib;
  const madeFrom = async (): Promise<string> =>
    `${await parts.engine.platform()}:${fileStamp(parts.base())}:${shape.memoryMib}:${shape.cpus}:${shape.scratchMib}`;
  const known = async (): Promise<Template | undefined> => templates.find(name, await madeFrom());

  async function boot(signal: AbortSignal): Promise<void> {
    if (signal.aborted || (await known()) !== undefined) return;
    await dropFolder(dir);
    // Before it boots: newer images may come meanwhile.
    const of = await madeFrom();
    const machine = await parts.engine.boot({ id: 'preloaded', dir: join(dir, 'machine'), disks: { base: parts.base() }, ...shape });
    const end = (): void => void machine.kill();
    signal.addEventListener('abort', end, { once: true });
    try {
      const quiet = { onLog: () => undefined, onHealth: () => undefined, onEgress: (stream: { destroy(): void }) => stream.destroy(), onExit: () => undefined };
      await link(parts, quiet, machine).preload(AbortSignal.any([signal, AbortSignal.timeout(preloadMs)]));
      await templates.save(name, of, machine);
    } finally {
      signal.removeEventListener('abort', end);
      await machine.kill();
      await dropFolder(dir);
    }
  }

  async function make(signal: AbortSignal): Promise<void> {
    try {
      if ((await known()) !== undefined) return;
      const lease = await parts.take(shape.memoryMib + overheadMib, preloadMs);
      try {
        await templates.exclusive(name, await madeFrom(), () => boot(signal), signal);
      } finally {
        lease.release();
      }
    } catch (error) {
      if (!signal.aborted) parts.log({ msg: 'preload_failed', error: String(error) });
    }
  }

  return {
    make,
    async find(wanted, signal) {
      if (!fits(wanted)) return undefined;
      const template = await known();
      if (template) return template;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(findMs)]);
      return templates.exclusive(name, await madeFrom(), known, patience).catch(() => undefined);
    },
    async replace() {
      await templates.drop(name, await madeFrom());
      await make(parts.stopping);
    },
  };
}
