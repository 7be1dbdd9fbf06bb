// Everything a machine boots from, made on first use and kept in the cache folder.
import { join } from 'node:path';
import type { Apt } from './apt.ts';
import { ensureBase, ensureGuestDisk, type GuestFile } from './base.ts';
import { type Edition, readEdition } from './edition.ts';
import { ensureClockRate, ensureInitrd } from './initrd.ts';
import { ensureKernel } from './kernel.ts';
import { checkPackages } from './tools.ts';

export interface ImageOptions {
  /** The platform's cache folder (stack/setup/folders.mjs names it); images live in `microvm/` below it. */
  cacheDir: string;
  /** One short line per step. */
  onProgress?: (text: string) => void;
  /** Files of the guest entry, below /opt/svc/guest. */
  guestFiles?: GuestFile[];
  /** When not given, the one that the cache folder is at. */
  edition?: Edition;
  apt?: Apt;
}

export interface Images {
  kernel: string;
  initrd: string;
  /** Root file system: Debian bookworm with Node 24 and bun. */
  base: string;
  /**
   * The files given as `guestFiles`; the engine puts this disk between base and layer of every machine it
   * boots.
   */
  guest?: string;
  /**
   * A tiny program that prints the rate of this host's time stamp counter in kHz (the emulated guest shares
   * it).
   */
  clockRate: string;
}

/**
 * Idempotent and safe to call from several processes at once. Takes about half a minute the first time,
 * milliseconds afterwards.
 */
export async function ensureImages({ cacheDir, onProgress = () => undefined, guestFiles = [], edition: wanted, apt }: ImageOptions): Promise<Images> {
  const dir = join(cacheDir, 'microvm');
  checkPackages();
  const edition = wanted ?? (await readEdition(dir));
  const boot = async () => {
    const kernelDir = await ensureKernel(dir, edition, onProgress, apt);
    const initrd = await ensureInitrd(dir, kernelDir, onProgress);
    return { kernel: join(kernelDir, 'vmlinux'), initrd, clockRate: await ensureClockRate(dir) };
  };
  const [built, base] = await Promise.all([boot(), ensureBase(dir, edition, onProgress)]);
  return guestFiles.length === 0 ? { ...built, base } : { ...built, base, guest: await ensureGuestDisk(dir, guestFiles, onProgress) };
}
