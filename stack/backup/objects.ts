// Contents of the storage, as the rows of the database name them. Two rounds: most of them before the
// database, and what was stored meanwhile after it, so that all that the database names is there.
import type { Knex } from 'knex';
import { storedContents, type StoredContent } from '#core/platform/contents/stored.ts';
import type { ListedStorage } from '#drivers/storage/port.ts';
import { errorCode } from '../files.ts';
import type { ContentWriter } from './contents.ts';
import type { NamedContent } from './manifest.ts';

const LANES = 8;

export interface ObjectsBackup {
  round(): Promise<void>;
  /** What was read, what went while it ran, and sentences on what is needed and cannot be read. */
  result(): Promise<{ objects: NamedContent[]; gone: string[]; faults: string[] }>;
}

export interface ObjectsOptions {
  db: Knex;
  storage: ListedStorage;
  writer: ContentWriter;
  known: readonly NamedContent[];
  signal: AbortSignal;
}

export function backUpObjects({ db, storage, writer, known, signal }: ObjectsOptions): ObjectsBackup {
  const before = new Map(known.map((one) => [one.name, one]));
  const done = new Map<string, NamedContent>();
  const failed = new Map<string, string>();

  async function one({ key, sha256 }: StoredContent): Promise<void> {
    const earlier = before.get(key);
    if (earlier?.sha256 === sha256 && writer.has(earlier)) return void done.set(key, earlier);
    try {
      const content = await writer.write(await storage.get(key));
      if (content.sha256 === sha256) done.set(key, { name: key, stamp: sha256, ...content });
      else failed.set(key, `${key} is not what was stored: its SHA-256 is ${content.sha256}`);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      failed.set(key, `${key} does not exist`);
    }
  }

  return {
    async round() {
      const left = [...(await storedContents(db)).values()].filter(({ key }) => !done.has(key));
      failed.clear();
      const lane = async (): Promise<void> => {
        for (let next = left.pop(); next !== undefined; next = left.pop()) {
          signal.throwIfAborted();
          await one(next);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    },
    async result() {
      const now = failed.size === 0 ? undefined : await storedContents(db);
      const needed = [...failed].filter(([key]) => now?.get(key)?.needed === true);
      return {
        objects: [...done.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        gone: [...failed.keys()].filter((key) => now?.get(key)?.needed !== true),
        faults: needed.map(([, what]) => what),
      };
    },
  };
}
