// Tries the drivers that store sources and files. Bounded in time; a process tries each at most every ten
// seconds, for all callers together.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { BlobStorage } from '#drivers/storage/port.ts';
import type { SourceControl } from '#drivers/scm/port.ts';

export interface Probed {
  works: boolean;
  /** Milliseconds since the epoch. */
  at: number;
}

const believedMs = 10_000;
const timeoutMs = 3_000;

const known = new WeakMap<object, { result: Promise<Probed>; until: number }>();

export function probeSources(scm: SourceControl, clock: () => number): Promise<Probed> {
  return probed(scm, clock, () => scm.ping());
}

/** Writes, reads and removes an object of a few bytes. */
export function probeStorage(storage: BlobStorage, clock: () => number): Promise<Probed> {
  return probed(storage, clock, async () => {
    const key = `probes/${randomUUID()}`;
    try {
      await storage.put(key, Readable.from([Buffer.from(key)]));
      if ((await text(await storage.get(key))) !== key) throw new Error('the storage gave back something else');
    } finally {
      await storage.delete(key);
    }
  });
}

/** Those who ask at once share one try. */
function probed(driver: object, clock: () => number, work: () => Promise<void>): Promise<Probed> {
  const cacheEntry = known.get(driver);
  if (cacheEntry && cacheEntry.until > performance.now()) return cacheEntry.result;
  const result = within(work()).then(
    () => ({ works: true, at: clock() }),
    () => ({ works: false, at: clock() }),
  );
  known.set(driver, { result, until: performance.now() + believedMs });
  return result;
}

async function within(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
