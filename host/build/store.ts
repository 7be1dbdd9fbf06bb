// Application layers by content: `<hex>.erofs`, written once, never changed. Small ones also as an archive,
// `<hex>.<sdk>.tar`: what a machine that has that SDK loaded needs of them.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { create } from 'tar';
import { exists } from '../microvm/images/cache.ts';
import { guestPaths } from '../guest/config.ts';
import type { HostOptions } from '../options.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { ImageId } from '#drivers/runtime/wire.ts';
import { codeCacheOf, sdkBundle } from './guest/plan.ts';

export interface ImageStore {
  path(image: string): string;
  has(image: string): Promise<boolean>;
  /** Makes a layer of a folder, which is changed by it. */
  add(folder: string): Promise<{ image: string; size_bytes: number }>;
  /** Undefined where the layer was built with another SDK than this platform's, or is large. */
  archive(image: string): Promise<string | undefined>;
  /**
   * Deletes what is not named and not new (the caller may not know of it yet). Resolves with what it deleted.
   */
  keepOnly(images: ReadonlySet<string>): Promise<string[]>;
}

/** Such a layer is unpacked into the guest's memory: the limit weighs memory against a quick start. */
const maxArchivedBytes = 6 * 1_048_576;

/** An image made within this time may be on its way to its first start. */
const newMs = 600_000;

export function createImageStore(dir: string, makeLayer: HostOptions['makeLayer'], sdkDir: HostOptions['sdkDir']): ImageStore {
  const path = (image: string): string => {
    if (!ImageId.safeParse(image).success) throw new RuntimeError('not_found', `${image} is no image.`);
    return join(dir, `${image.slice('sha256:'.length)}.erofs`);
  };
  const archivePath = async (image: string): Promise<string> => path(image).replace(/erofs$/, `${basename(await sdkDir()).slice(0, 16)}.tar`);
  return {
    path,
    async archive(image) {
      const file = await archivePath(image);
      return (await exists(file)) ? file : undefined;
    },
    has: (image) => exists(path(image)),
    async add(folder) {
      const draft = join(dir, `draft-${randomBytes(6).toString('hex')}`);
      try {
        const { digest, sizeBytes } = await makeLayer(folder, draft);
        await rename(draft, path(digest));
        if (sizeBytes <= maxArchivedBytes) await writeArchive(folder, join(await sdkDir(), sdkBundle), await archivePath(digest));
        return { image: digest, size_bytes: sizeBytes };
      } finally {
        await rm(draft, { force: true });
      }
    },
    async keepOnly(images) {
      const names = await readdir(dir);
      const gone: string[] = [];
      for (const name of names) {
        const image = `sha256:${name.slice(0, 64)}`;
        const age =
          Date.now() -
          (await stat(join(dir, name)).then(
            (about) => about.mtimeMs,
            () => 0,
          ));
        if (images.has(image) || name.startsWith('draft-') || age < newMs) continue;
        await rm(join(dir, name), { force: true });
        if (name.endsWith('.erofs')) gone.push(image);
      }
      return gone;
    },
  };
}

/** The SDK is not in it but a link to where every guest has it; layers with another SDK get no archive. */
async function writeArchive(folder: string, sdk: string, out: string): Promise<void> {
  const own = join(folder, 'app', sdkBundle);
  if (!(await exists(own)) || !(await readFile(own)).equals(await readFile(sdk))) return;
  await rm(own);
  await rm(codeCacheOf(own), { force: true });
  await symlink(guestPaths.sdk, own);
  const draft = join(dirname(out), `draft-${randomBytes(6).toString('hex')}`);
  await create({ cwd: folder, file: draft, portable: true, noMtime: true }, ['app']);
  await rename(draft, out);
}
