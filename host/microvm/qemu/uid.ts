// One user id per machine, so that a guest that broke out of QEMU can touch no other machine's process or
// memory.
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MicroVmError } from '../images/tools.ts';
import { exclusively, exists } from '../images/cache.ts';

/** Far from what Debian, systemd's dynamic users and usual container ranges give out. */
const FIRST = 64_000_000;
const COUNT = 4096;
const CLAIMS = '/run/lock/svc-microvm';

/**
 * undefined where we are not root: then machines run as our own user. A claim names the folder it is for and
 * ends with it.
 */
export async function claimUid(folder: string, claims = CLAIMS): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  await mkdir(claims, { recursive: true, mode: 0o700 });
  return exclusively('uids', () => firstFree(folder, claims));
}

async function firstFree(folder: string, claims: string): Promise<number> {
  for (let uid = FIRST; uid < FIRST + COUNT; uid++) {
    const path = join(claims, String(uid));
    const owner = await readFile(path, 'utf8').catch(() => '');
    if (owner !== '' && owner !== folder && (await exists(owner))) continue; // a folder used again keeps its user
    await writeFile(path, folder, { mode: 0o600 });
    return uid;
  }
  throw new MicroVmError('uids_exhausted', `This host runs ${COUNT} machines already; stop some.`);
}

export async function releaseUid(uid: number | undefined, claims = CLAIMS): Promise<void> {
  if (uid !== undefined) await rm(join(claims, String(uid)), { force: true });
}

export async function give(path: string, uid: number | undefined): Promise<void> {
  if (uid !== undefined) await chown(path, uid, uid);
}
