// Snapshots of warmed-up machines that others start from: one per deployment, and those that hosts share.
import { statSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Machine, Template } from '../microvm/port.ts';
import { exclusively, hashOf } from '../microvm/images/cache.ts';
import { syncPath } from '../microvm/qemu/record.ts';
import { readJson, writeAtomic } from './files.ts';

const StoredTemplate = z.object({
  /** What the snapshot was made from; another value means it is stale. */
  made_from: z.string(),
  template: z.object({ dir: z.string(), memoryMib: z.number(), cpus: z.number(), disks: z.object({ base: z.string(), layer: z.string().optional() }) }),
});

export interface Templates {
  find(name: string, madeFrom: string): Promise<Template | undefined>;
  /** One that was made from something else is removed. */
  findOrDrop(name: string, madeFrom: string): Promise<Template | undefined>;
  /** `durable`: whole after a power cut, too. */
  save(name: string, madeFrom: string, machine: Machine, options?: { durable: boolean }): Promise<Template>;
  drop(name: string): Promise<void>;
  /** One at a time per name, so that two starts of a deployment share one snapshot. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export function createTemplates(dir: string): Templates {
  const turns = new Map<string, Promise<unknown>>();
  const folder = (name: string): string => join(dir, name);
  /** Written last: a folder without it is a snapshot that was never finished. */
  const note = (name: string): string => join(folder(name), 'svc-template.json');
  const drop = (name: string): Promise<void> => rm(folder(name), { recursive: true, force: true });
  async function find(name: string, madeFrom: string): Promise<Template | undefined> {
    const storedTemplate = await readJson(note(name), StoredTemplate);
    return storedTemplate?.made_from === madeFrom ? asTemplate(storedTemplate.template) : undefined;
  }
  return {
    find,
    async findOrDrop(name, madeFrom) {
      const current = await find(name, madeFrom);
      if (current === undefined) await drop(name);
      return current;
    },
    async save(name, madeFrom, machine, { durable } = { durable: false }) {
      await drop(name);
      const template = await machine.saveTemplate(folder(name));
      if (durable) for (const file of [...(await readdir(folder(name))), '.']) await syncPath(join(folder(name), file));
      await writeAtomic(note(name), JSON.stringify({ made_from: madeFrom, template }));
      return template;
    },
    drop,
    async exclusive(name, work) {
      const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
      const settled = turn.catch(() => undefined);
      turns.set(name, settled);
      try {
        return await turn;
      } finally {
        if (turns.get(name) === settled) turns.delete(name);
      }
    },
  };
}

/**
 * Templates of machines that hold only the platform's programs, and nothing of a tenant or of one host: made
 * once in the cache folder, by one host at a time, for all that use that folder. They are found by name and
 * by what they were made from.
 */
export interface SharedTemplates {
  /** Counts as use. */
  find(name: string, madeFrom: string): Promise<Template | undefined>;
  save(name: string, madeFrom: string, machine: Machine): Promise<Template>;
  drop(name: string, madeFrom: string): Promise<void>;
  /** One at a time among all hosts. @throws AbortError */
  exclusive<T>(name: string, madeFrom: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Of each name, those that were used last: another version of the platform may run beside this one. */
const MAX_TEMPLATES_PER_NAME = 3;
/** The folder of a maker that was killed. */
const PARTIAL_MS = 3_600_000;

export function createSharedTemplates(dir: string): SharedTemplates {
  const templates = createTemplates(dir);
  const nameOf = (name: string, madeFrom: string): string => `${name}-${hashOf(madeFrom)}`;
  const usedAt = async (entry: string): Promise<number> => (await stat(join(dir, entry)).catch(() => undefined))?.mtimeMs ?? 0;
  async function dropOld(name: string): Promise<void> {
    const mine = (await readdir(dir)).filter((entry) => entry.startsWith(`${name}-`) && /^[0-9a-f]+(\.partial)?$/.test(entry.slice(name.length + 1)));
    const entries = await Promise.all(mine.map(async (entry) => ({ entry, at: await usedAt(entry) })));
    const [partial, whole] = [entries.filter(({ entry }) => entry.endsWith('.partial')), entries.filter(({ entry }) => !entry.endsWith('.partial'))];
    const old = whole.toSorted((a, b) => b.at - a.at).slice(MAX_TEMPLATES_PER_NAME);
    const left = partial.filter(({ at }) => at < Date.now() - PARTIAL_MS);
    for (const { entry } of [...old, ...left]) await templates.drop(entry);
  }
  return {
    async find(name, madeFrom) {
      const entry = nameOf(name, madeFrom);
      const template = await templates.find(entry, madeFrom);
      if (template) await utimes(join(dir, entry), new Date(), new Date()).catch(() => undefined);
      return template;
    },
    async save(name, madeFrom, machine) {
      const template = await templates.save(nameOf(name, madeFrom), madeFrom, machine, { durable: true });
      await dropOld(name);
      return template;
    },
    drop: (name, madeFrom) => templates.drop(nameOf(name, madeFrom)),
    async exclusive(name, madeFrom, work, signal) {
      const { dev, ino } = await stat(dir);
      return exclusively(`${dev}-${ino}-${nameOf(name, madeFrom)}`, work, signal);
    },
  };
}

/** An absent layer is an absent property, not an undefined one. */
function asTemplate({ disks, ...rest }: z.infer<typeof StoredTemplate>['template']): Template {
  return { ...rest, disks: disks.layer === undefined ? { base: disks.base } : { base: disks.base, layer: disks.layer } };
}

/** Identifies a file by properties that change when it is written again. */
export function fileStamp(path: string): string {
  const about = statSync(path);
  return `${path}:${about.size}:${Math.floor(about.mtimeMs)}`;
}
