// Memory of machines that sleep while a run in them waits for a person. It is backed up where the machine
// slept from before the database's position until after its files were read: then both tell of one moment.
import { readdir, readFile, stat } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { qemuVersion } from '#host/microvm/qemu/accelerator.ts';
import { readRecord, type Record as MachineRecord } from '#host/microvm/qemu/record.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { readText } from '../files.ts';

const InstanceFile = z.object({ phase: z.literal('ready'), waiting: z.int().min(1) });

/** By instance: a stamp that no later sleep of its machine has. */
export type Asleep = ReadonlyMap<string, string>;

export async function asleepNow(vmDir: string): Promise<Asleep> {
  const names = await readdir(vmDir).catch(() => []);
  const stamps = await Promise.all(names.map(async (name) => [name, await sleepStamp(join(vmDir, name))] as const));
  return new Map(stamps.flatMap(([name, stamp]) => (stamp === undefined ? [] : [[name, stamp]])));
}

/**
 * Undefined unless it sleeps, and a run waits in it. Before a guest runs again its record says so, and after
 * it the file of its devices is another one (host/microvm/machine.ts).
 */
async function sleepStamp(dir: string): Promise<string | undefined> {
  const instance = InstanceFile.safeParse(parseJson(await readFile(join(dir, 'instance.json'), 'utf8').catch(() => '')));
  if (!instance.success || (await readRecord(join(dir, 'machine')))?.phase !== 'suspended') return undefined;
  const about = await stat(join(dir, 'machine', 'state'), { bigint: true }).catch(() => undefined);
  return about && `${about.ino}:${about.mtimeNs}:${about.size}`;
}

export const sleepsSince = async (vmDir: string, instance: string, stamp: string): Promise<boolean> => (await sleepStamp(join(vmDir, instance))) === stamp;

/** Not sockets, what runs in `vm`, nor drafts. */
export const isOfInstance = (path: string): boolean => path !== 'machine/vm' && !/\.(?:sock|partial)$/.test(path);

/** Files that the machine runs from, besides those of its folder. */
export async function imagesOf(vmDir: string, instance: string): Promise<string[]> {
  const record = await readRecord(join(vmDir, instance, 'machine'));
  return record === undefined ? [] : imagesOfRecord(record);
}

const imagesOfRecord = ({ base, guest, layer, kernel, initrd }: MachineRecord): string[] =>
  [base, guest, layer, kernel, initrd].filter((path) => path !== undefined);

/** Memory continues only on what it was saved on. */
export async function machineFacts(): Promise<{ cpu: string; qemu: string }> {
  const qemu = await qemuVersion().catch(() => 'none');
  return { cpu: cpus()[0]?.model ?? '', qemu: qemu.split('\n')[0] ?? '' };
}

/** A box may be copied only while nothing writes to its disk. */
export function boxSleeps(dir: string): boolean {
  const state = z.object({ state: z.string() }).safeParse(parseJson(readText(join(dir, 'box.json')) ?? ''));
  return state.success && state.data.state !== 'running' && state.data.state !== 'starting';
}
