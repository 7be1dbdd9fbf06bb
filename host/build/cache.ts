// Installed dependencies by the hash of what decided them: opaque archives that only guests unpack. Bounded:
// of the tenant that has most, the least recently used go first.
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { remedy, type TenantLimits } from './plans.ts';

export interface DependencyCache {
  /** Keys there are, the newest first, at most 500. */
  keys(): Promise<string[]>;
  /** The archive as it was put in, or undefined. */
  read(key: string): Promise<Readable | undefined>;
  /** @throws RuntimeError build_failed for more than a build of that plan may write */
  write(key: string, archive: Readable, of: TenantLimits): Promise<void>;
}

/**
 * Every tenant's own: a guest is its tenant's to bend, so what it hands in, whatever it says it is, reaches
 * that tenant only.
 */
export interface DependencyCaches {
  of(tenant: string): DependencyCache;
}

const ending = '.tar.zst';

/** @param maxBytes of all, as they are kept */
export function createDependencyCaches(dir: string, maxBytes: number): DependencyCaches {
  return { of: (tenant) => createDependencyCache(dir, `${tenant}.`, maxBytes) };
}

function createDependencyCache(dir: string, prefix: string, maxBytes: number): DependencyCache {
  const file = (key: string): string => join(dir, `${prefix}${key}${ending}`);
  return {
    async keys() {
      const mine = (await used(dir)).filter(({ name }) => name.startsWith(prefix) && name.endsWith(ending));
      const newest = mine.sort((a, b) => b.used - a.used).slice(0, 500);
      return newest.map(({ name }) => name.slice(prefix.length, -ending.length));
    },
    async read(key) {
      const now = new Date();
      const there = await utimes(file(key), now, now).then(
        () => true,
        () => false,
      );
      if (!there) return undefined;
      const packed = createReadStream(file(key));
      const unpacked = createZstdDecompress();
      packed.once('error', (error) => unpacked.destroy(error));
      return packed.pipe(unpacked);
    },
    async write(key, archive, of) {
      const partial = `${file(key)}.${randomBytes(4).toString('hex')}`;
      try {
        const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
        await pipeline(archive, atMost(of), createZstdCompress(level), createWriteStream(partial, { mode: 0o600 }));
        await rename(partial, file(key));
      } finally {
        await rm(partial, { force: true });
      }
      await shrink(dir, maxBytes);
    },
  };
}

/** The guest says how much comes. */
function atMost({ plan, limits }: TenantLimits): Transform {
  let left = limits.disk_mib * 1_048_576;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      if (left >= 0) return done(null, chunk);
      done(new RuntimeError('build_failed', `The dependencies are larger than the ${limits.disk_mib} MiB that are allowed. ${remedy(plan)}`));
    },
  });
}

async function used(dir: string): Promise<{ name: string; size: number; used: number }[]> {
  return Promise.all(
    (await readdir(dir)).map(async (name) => {
      const about = await stat(join(dir, name)).catch(() => undefined);
      return { name, size: about?.size ?? 0, used: about?.mtimeMs ?? 0 };
    }),
  );
}

async function shrink(dir: string, maxBytes: number): Promise<void> {
  const files = (await used(dir)).sort((a, b) => a.used - b.used);
  let total = files.reduce((sum, one) => sum + one.size, 0);
  const tenants = [...Map.groupBy(files, ({ name }) => tenantOf(name)).values()].map((of) => ({ of, size: of.reduce((sum, one) => sum + one.size, 0) }));
  while (total > maxBytes) {
    const [most] = tenants.sort((a, b) => b.size - a.size);
    const oldest = most?.of.shift();
    if (!most || !oldest) return;
    await rm(join(dir, oldest.name), { force: true });
    most.size -= oldest.size;
    total -= oldest.size;
  }
}

/** Keys have no dot. */
const tenantOf = (name: string): string => name.slice(0, name.lastIndexOf('.', name.lastIndexOf('.tar') - 1));
