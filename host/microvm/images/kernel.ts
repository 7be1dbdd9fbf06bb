// Debian's cloud kernel, fetched as a package and unpacked into the cache: nothing is installed on the host.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { type Apt, machineApt, withTreeArchives } from './apt.ts';
import { ensureDebian } from './base.ts';
import { cached, hashOf, workFolder } from './cache.ts';
import { debianRecipe } from './debian.mjs';
import type { Edition } from './edition.ts';
import { unlz4 } from './lz4.ts';
import { MicroVmError, run } from './tools.ts';

const META_PACKAGE = 'linux-image-cloud-amd64';
const RECIPE = 'kernel-1';

/** Name in the cache folder. */
export const kernelFolder = ({ kernel }: Edition): string => `kernel-${hashOf(RECIPE, META_PACKAGE, ...(kernel === undefined ? [] : [kernel]))}`;

/** What apt would fetch now. @throws MicroVmError image_failed */
export async function newestKernel(apt: Apt): Promise<{ name: string; version: string }> {
  const name = /Depends: (linux-image-\S+)/.exec(await apt('apt-cache', ['depends', META_PACKAGE]))?.[1];
  const version = name === undefined ? undefined : /Candidate: (\d\S*)/.exec(await apt('apt-cache', ['policy', name]))?.[1];
  if (name === undefined || version === undefined)
    throw new MicroVmError('image_failed', `apt knows no package ${META_PACKAGE}. Run: sudo apt-get update (Debian's main section must be enabled).`);
  return { name, version };
}

/** Whether this machine's own archives have Debian's kernel: Ubuntu's have not. */
export async function isKernelKnown(): Promise<boolean> {
  return /Candidate: \d/.test(await machineApt('apt-cache', ['policy', META_PACKAGE], { env: { LC_ALL: 'C' } }));
}

/** By this machine's apt where it knows the kernel, else from the archives of the guests' own Debian. */
async function byApt<T>(dir: string, edition: Edition, onProgress: (text: string) => void, work: (apt: Apt) => Promise<T>): Promise<T> {
  return (await isKernelKnown()) ? work(machineApt) : withTreeArchives(dir, await ensureDebian(dir, edition, debianRecipe, onProgress), work);
}

/** A folder with `vmlinux` and `modules/` (the package's kernel module tree). */
export function ensureKernel(cacheDir: string, edition: Edition, onProgress: (text: string) => void, apt?: Apt): Promise<string> {
  return cached(cacheDir, kernelFolder(edition), async (folder) => {
    const work = await workFolder(folder);
    try {
      onProgress('kernel: downloading');
      const deb = await (apt === undefined ? byApt(cacheDir, edition, onProgress, (known) => download(known, edition, work)) : download(apt, edition, work));
      onProgress('kernel: unpacking');
      await run('dpkg', ['-x', join(work, deb), join(work, 'tree')]);
      const image = (await readdir(join(work, 'tree/boot'))).find((file) => file.startsWith('vmlinuz-'));
      if (image === undefined) throw new MicroVmError('image_failed', `${deb} holds no kernel image.`);
      await mkdir(folder);
      await extractVmlinux(join(work, 'tree/boot', image), join(folder, 'vmlinux'));
      const modules = join(work, 'tree', 'lib/modules', image.slice('vmlinuz-'.length));
      await run('cp', ['-r', join(modules, 'kernel'), join(folder, 'modules')]);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** Name of the package's file in the folder. */
async function download(apt: Apt, edition: Edition, folder: string): Promise<string> {
  const { name } = await newestKernel(apt);
  const wanted = edition.kernel === undefined ? name : `${name}=${edition.kernel}`;
  await apt('apt-get', ['download', wanted], { cwd: folder }).catch((error: unknown) => {
    throw new MicroVmError('image_failed', `The kernel package ${wanted} could not be downloaded. Run: sudo apt-get update, then try again.`, { cause: error });
  });
  const deb = (await readdir(folder)).find((file) => file.endsWith('.deb'));
  if (deb === undefined) throw new MicroVmError('image_failed', `apt-get download ${name} left no file.`);
  return deb;
}

/**
 * The compressed ELF kernel inside a bzImage (boot protocol 2.08 and later): QEMU starts it without the guest
 * unpacking it.
 */
async function extractVmlinux(bzImage: string, out: string): Promise<void> {
  const bytes = await readFile(bzImage);
  if (bytes.toString('latin1', 0x202, 0x206) !== 'HdrS') throw new MicroVmError('image_failed', `${bzImage} is no bzImage.`);
  const setupSectors = bytes.readUInt8(0x1f1) || 4;
  const start = (setupSectors + 1) * 512 + bytes.readUInt32LE(0x248);
  const payload = bytes.subarray(start, start + bytes.readUInt32LE(0x24c) - 4); // the last word is the unpacked length
  const partial = `${out}.partial`;
  const magic = payload.toString('hex', 0, 6);
  if (magic.startsWith('02214c18')) await writeFile(partial, unlz4(payload));
  else if (magic.startsWith('fd377a585a00')) await unxz(payload, partial);
  else if (magic.startsWith('1f8b')) await pipeline([payload], createGunzip(), createWriteStream(partial));
  else if (magic.startsWith('28b52ffd')) await pipeline([payload], createZstdDecompress(), createWriteStream(partial));
  else throw new MicroVmError('image_failed', `The kernel image is compressed in a way we do not know (${magic}).`);
  await rename(partial, out);
}

/** Unpacks xz data through the xz program (Node has no reader for it). */
export async function unxz(data: Uint8Array, out: string): Promise<void> {
  const child = spawn('xz', ['-dc', '--single-stream'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const fed = pipeline([data], child.stdin).catch(() => undefined); // xz closes early after the first stream
  await pipeline(child.stdout, createWriteStream(out));
  await fed;
}
