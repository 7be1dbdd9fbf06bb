// All dev boxes of this machine: opened on demand, suspended when idle, without a machine after that, taken
// back after a restart.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MicroVmEngine } from '../microvm/port.ts';
import { dropFolder, idsIn } from '../resources/files.ts';
import type { MemoryBudget } from '../resources/memory-budget.ts';
import type { SharedTemplates } from '../resources/templates.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import type { BoxStatus } from '#drivers/box/port.ts';
import { SandboxId } from '#drivers/sandbox/wire.ts';
import { type Box, createBox, type Up } from './box.ts';
import { createBoxMachines } from './machines.ts';
import type { BoxSettings } from './options.ts';
import { loadBox, saveBox } from './record.ts';

export interface Boxes {
  open(input: { box_id: string; host_key: string; wait: boolean }): Promise<BoxStatus>;
  get(id: string): Box;
  list(): BoxStatus[];
  remove(id: string): Promise<void>;
  /** For the governor of processor time. */
  governed(): { id: string; machineDir: string; cpuMillis: number }[];
  /** Suspends one box without connections; false when there is none. */
  giveWay(): Promise<boolean>;
  tick(): void;
  close(options: { suspend: boolean }): Promise<void>;
}

interface Parts {
  engine: MicroVmEngine;
  base(): string;
  stateDir: string;
  budget: MemoryBudget;
  templates: SharedTemplates;
  settings: BoxSettings;
  log(fields: Record<string, unknown>): void;
}

/** A box is given up for memory only after so long. */
const restMs = 2_000;
const emulatorMib = 96;

export async function createBoxes({ engine, base, stateDir, budget, templates, settings, log }: Parts): Promise<Boxes> {
  const root = join(stateDir, 'box');
  const machinesDir = join(stateDir, 'box-vm');
  for (const dir of [root, machinesDir]) await mkdir(dir, { recursive: true, mode: 0o711 });
  const machines = createBoxMachines({ engine, base, machinesDir, templates, settings, log });
  const boxPromises = new Map<string, Promise<Box>>();
  const known = new Map<string, Box>();
  const ticking = new Set<string>();
  const dirOf = (id: string): string => join(root, SandboxId.parse(id));
  let closing = false;

  function hold(id: string, up: Up | undefined): Promise<Box> {
    const already = boxPromises.get(id);
    if (already !== undefined) return already;
    const made = (async () => {
      const dir = dirOf(id);
      await mkdir(dir, { recursive: true, mode: 0o711 });
      const record = (await loadBox(dir)) ?? {
        box_id: id,
        state: 'stopped' as const,
        seeded: false,
        machine_mib: settings.memoryMib,
        last_used_at: Date.now(),
      };
      const box = await createBox({ dir, record, machines, budget, settings, up, log });
      known.set(id, box);
      return box;
    })();
    boxPromises.set(id, made);
    made.catch(() => boxPromises.delete(id));
    return made;
  }

  async function recover(id: string): Promise<void> {
    const record = await loadBox(dirOf(id));
    if (record === undefined || record.box_id !== id) return dropFolder(dirOf(id));
    const had = record.state === 'running' || record.state === 'suspended';
    const machine = had ? await engine.adopt(machines.dirOf(id)).catch(() => undefined) : undefined;
    const awake = machine !== undefined && machine.state !== 'suspended';
    record.state = machine === undefined ? 'stopped' : awake ? 'running' : 'suspended';
    record.last_used_at = Date.now();
    await saveBox(dirOf(id), record);
    const lease = awake ? budget.assume(record.machine_mib + emulatorMib) : undefined;
    await hold(id, machine && { machine, egress: machines.serveEgress(machine), lease });
  }

  for (const id of await idsIn(root)) await recover(id);
  for (const id of await idsIn(machinesDir)) {
    if (known.get(id)?.machine !== undefined) continue;
    const left = await engine.adopt(machines.dirOf(id)).catch(() => undefined);
    await left?.kill();
    await dropFolder(machines.dirOf(id));
  }

  const get = (id: string): Box => {
    const box = known.get(id);
    if (box === undefined) throw new SandboxError('not_found', `There is no dev box ${id} on this host.`);
    return box;
  };

  return {
    async open({ box_id, host_key, wait }) {
      if (closing) throw new SandboxError('no_capacity', 'The host is stopping; try again in a moment.');
      const withMachine = [...known.values()].filter((box) => box.machine !== undefined);
      if (known.get(box_id)?.machine === undefined && withMachine.length >= settings.maxMachines)
        throw new SandboxError('no_capacity', `This machine has ${settings.maxMachines} dev boxes at once; try again when one is gone.`);
      const before = known.get(box_id)?.status();
      const box = await hold(box_id, undefined);
      await saveBox(dirOf(box_id), box.record);
      const opening = box.open(host_key);
      if (wait) await opening;
      else opening.catch((error: unknown) => log({ msg: 'box_failed', box_id, error: String(error) }));
      // What it was before: what its opener waits for.
      return wait ? box.status() : { ...box.status(), state: before?.state ?? 'stopped' };
    },
    get,
    list: () => [...known.values()].map((box) => box.status()),
    async remove(id) {
      const box = known.get(id);
      await box?.stop();
      await box?.close();
      known.delete(id);
      boxPromises.delete(id);
      await dropFolder(dirOf(id));
    },
    governed: () =>
      [...known.values()].flatMap(({ record, machine }) =>
        machine === undefined ? [] : [{ id: record.box_id, machineDir: machines.dirOf(record.box_id), cpuMillis: 1_000 }],
      ),
    async giveWay() {
      const idle = [...known.values()].filter((box) => box.record.state === 'running' && box.idleMs() > restMs);
      const [longest] = idle.sort((a, b) => a.record.last_used_at - b.record.last_used_at);
      if (longest === undefined) return false;
      await longest.sleep();
      return true;
    },
    tick() {
      for (const [id, box] of known) {
        const idle = box.idleMs();
        const wanted =
          box.record.state === 'running' && idle > settings.suspendAfterMs
            ? box.sleep
            : box.record.state === 'suspended' && idle > settings.goneAfterMs
              ? box.stop
              : undefined;
        if (wanted === undefined || ticking.has(id)) continue;
        ticking.add(id);
        wanted()
          .catch((error: unknown) => {
            log({ msg: 'box_failed', box_id: id, error: String(error) });
            return box.stop();
          })
          .catch(() => undefined)
          .finally(() => ticking.delete(id));
      }
    },
    async close({ suspend }) {
      closing = true;
      for (const box of known.values()) {
        await box.close();
        if (suspend) await box.sleep().catch(() => box.stop());
      }
    },
  };
}
