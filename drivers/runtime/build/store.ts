// Application layers by content: `<hex>.erofs`, written once, never changed.
import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostOptions } from '../host/options.ts';
import { RuntimeError } from '../port.ts';
import { ImageId } from '../wire.ts';

export interface ImageStore {
  path(image: string): string;
  has(image: string): Promise<boolean>;
  /** Makes a layer of a folder. */
  add(folder: string): Promise<{ image: string; size_bytes: number }>;
  /** Deletes what is not named and not new (whoever asks may not know of it yet); answers what went. */
  keepOnly(images: ReadonlySet<string>): Promise<string[]>;
}

/** An image made within this time may be on its way to its first start. */
const newMs = 600_000;

export function createImageStore(dir: string, makeLayer: HostOptions['makeLayer']): ImageStore {
  const path = (image: string): string => {
    if (!ImageId.safeParse(image).success) throw new RuntimeError('not_found', `${image} is no image.`);
    return join(dir, `${image.slice('sha256:'.length)}.erofs`);
  };
  return {
    path,
    has: (image) =>
      stat(path(image)).then(
        () => true,
        () => false,
      ),
    async add(folder) {
      const draft = join(dir, `draft-${randomBytes(6).toString('hex')}`);
      try {
        const { digest, sizeBytes } = await makeLayer(folder, draft);
        await rename(draft, path(digest));
        return { image: digest, size_bytes: sizeBytes };
      } finally {
        await rm(draft, { force: true });
      }
    },
    async keepOnly(images) {
      const names = await readdir(dir);
      const gone: string[] = [];
      for (const name of names) {
        const image = `sha256:${name.replace(/\.erofs$/, '')}`;
        const age =
          Date.now() -
          (await stat(join(dir, name)).then(
            (about) => about.mtimeMs,
            () => 0,
          ));
        if (images.has(image) || name.startsWith('draft-') || age < newMs) continue;
        await rm(join(dir, name), { force: true });
        gone.push(image);
      }
      return gone;
    },
  };
}
