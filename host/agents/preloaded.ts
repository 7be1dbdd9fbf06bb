// A machine with the SDK loaded and no agent in it, as a snapshot: what agents whose layer is small are started from. It exists for the one shape
// that agents have unless they say otherwise; others boot.
import { join } from 'node:path';
import type { MachineSpec, Template } from '../microvm/port.ts';
import { type BringUpParts, link } from './bring-up.ts';
import { overheadMib } from '../resources/budget.ts';
import { dropFolder } from '../resources/files.ts';
import { fileStamp, type SharedTemplates } from '../resources/templates.ts';

export type Shape = Pick<MachineSpec, 'memoryMib' | 'cpus' | 'scratchMib'>;

const name = '_preloaded';
const preloadMs = 120_000;

export interface Preloaded {
  /** Idempotent; what goes wrong is logged, agents boot then. */
  make(signal: AbortSignal): Promise<void>;
  /** Waits while a host makes it; undefined where there is none of this shape. */
  find(shape: Shape): Promise<Template | undefined>;
}

export interface PreloadedParts extends Pick<BringUpParts, 'engine' | 'base' | 'controlPlane' | 'ca' | 'log'> {
  templates: SharedTemplates;
  /** Takes memory of the host's for a while. */
  take(mib: number, timeoutMs: number): Promise<{ release(): void }>;
}

export function createPreloaded(parts: PreloadedParts, shape: Shape, dir: string): Preloaded {
  const { templates } = parts;
  const madeFrom = `${parts.engine.images}:${fileStamp(parts.base)}:${shape.memoryMib}:${shape.cpus}:${shape.scratchMib}`;
  const fits = (one: Shape): boolean => one.memoryMib === shape.memoryMib && one.cpus === shape.cpus && one.scratchMib === shape.scratchMib;

  async function make(signal: AbortSignal): Promise<void> {
    if (signal.aborted || (await templates.find(name, madeFrom)) !== undefined) return;
    const lease = await parts.take(shape.memoryMib + overheadMib, preloadMs);
    await dropFolder(dir);
    const machine = await parts.engine.boot({ id: 'preloaded', dir: join(dir, 'machine'), disks: { base: parts.base }, ...shape });
    const end = (): void => void machine.kill();
    signal.addEventListener('abort', end, { once: true });
    try {
      const quiet = { onLog: () => undefined, onHealth: () => undefined, onEgress: (stream: { destroy(): void }) => stream.destroy(), onExit: () => undefined };
      await link(parts, quiet, machine).preload(AbortSignal.any([signal, AbortSignal.timeout(preloadMs)]));
      await templates.save(name, madeFrom, machine);
    } finally {
      signal.removeEventListener('abort', end);
      await machine.kill();
      await dropFolder(dir);
      lease.release();
    }
  }

  return {
    async make(signal) {
      try {
        if (!(await templates.find(name, madeFrom))) await templates.alone(name, madeFrom, () => make(signal), signal);
      } catch (error) {
        if (!signal.aborted) parts.log({ msg: 'preload_failed', error: String(error) });
      }
    },
    async find(wanted) {
      if (!fits(wanted)) return undefined;
      return (await templates.find(name, madeFrom)) ?? templates.alone(name, madeFrom, () => templates.find(name, madeFrom));
    },
  };
}
