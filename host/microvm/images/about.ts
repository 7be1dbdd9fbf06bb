// How old the parts are that guests run: read from the images themselves.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from './cache.ts';
import { debianTree } from './debian.mjs';
import type { Edition } from './edition.ts';
import { kernelFolder } from './kernel.ts';
import { run } from './tools.ts';

export interface About {
  version: string;
  /** The kernel: when it was built. The base image: when its packages were fetched. */
  of: Date;
}

export interface AboutImages {
  kernel?: About;
  base?: About;
}

/** Absent: not made yet. */
export async function aboutImages(dir: string, edition: Edition): Promise<AboutImages> {
  const [kernel, base] = await Promise.all([aboutKernel(join(dir, kernelFolder(edition))), aboutBase(join(dir, debianTree(edition)))]);
  return { ...(kernel && { kernel }), ...(base && { base }) };
}

/** As every kernel of Debian says it of itself: `#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)`. */
const BANNER = /Linux version [^\n\0]{1,400}? Debian (\S+) \((\d{4}-\d\d-\d\d)\)/;

async function aboutKernel(folder: string): Promise<About | undefined> {
  if (!(await exists(folder))) return undefined;
  let end = '';
  for await (const chunk of createReadStream(join(folder, 'vmlinux'), { encoding: 'latin1', highWaterMark: 1_048_576 })) {
    const text = end + String(chunk);
    const [, version, day] = BANNER.exec(text) ?? [];
    if (version !== undefined && day !== undefined) return { version, of: new Date(`${day}T00:00:00Z`) };
    end = text.slice(-1_000);
  }
  return undefined;
}

async function aboutBase(tar: string): Promise<About | undefined> {
  const about = await stat(tar).catch(() => undefined);
  if (about === undefined) return undefined;
  const version = (await run('tar', ['--occurrence=1', '-xOf', tar, './etc/debian_version'])).trim();
  return { version: `Debian ${version}`, of: about.mtime };
}
