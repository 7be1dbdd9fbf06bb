// The root file system of all guests: Debian bookworm with Python 3.11, our Node, bun for builds; and, as a
// small disk over it, the files the runtime gives.
import { appendFile, chmod, copyFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached, hashOf, workFolder } from './cache.ts';
import { debianCommand, type DebianRecipe, debianRecipe, debianTree } from './debian.mjs';
import type { Edition } from './edition.ts';
import { makeErofs } from './layer.ts';
import { packedBun, packedNode } from './packed.ts';
import { MicroVmError, run } from './tools.ts';

const PACKING = 'packing-4';

/** A file of the guest entry: absolute path in the guest, path on this host. */
export interface GuestFile {
  path: string;
  source: string;
  /** Names its content, where reading a hundred megabytes would take too long. */
  from?: string;
  executable?: boolean;
}

/** A Debian tree as a tar file, made once per edition and content of its recipe. */
export async function ensureDebian(cacheDir: string, edition: Edition, recipe: DebianRecipe, onProgress: (text: string) => void): Promise<string> {
  return cached(cacheDir, debianTree(edition, recipe), async (path) => {
    await debianTar(path, recipe, onProgress);
  });
}

/** Makes the tree again, into a tar file. */
export async function debianTar(path: string, recipe: DebianRecipe, onProgress: (text: string) => void): Promise<void> {
  const root = process.getuid?.() === 0;
  const { command, args, env } = debianCommand(path, recipe, root ? await workFolder(path) : undefined);
  await run(command, args, { env, onLine: (line) => line.startsWith('I: ') && onProgress(`base image: ${line.slice(3)}`) }).catch((error: unknown) => {
    if (error instanceof MicroVmError && error.code === 'disk_full') throw error;
    const detail = error instanceof Error ? error.message : String(error);
    const hint = root
      ? 'Is the Debian mirror reachable?'
      : 'As an ordinary user this needs user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1 where that setting exists, and a range of user ids: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER';
    throw new MicroVmError('image_failed', `The base image could not be installed. ${hint} (${detail})`, { cause: error });
  });
  await rm(`${path}.work`, { recursive: true, force: true });
}

function programs(): GuestFile[] {
  const [node, bun] = [packedNode(), packedBun()];
  return [
    { path: '/usr/local/bin/node', source: node.path, from: node.from, executable: true },
    { path: '/usr/local/bin/bun', source: bun.path, from: bun.from, executable: true },
  ];
}

/** Name in the cache folder. */
export async function baseDisk(edition: Edition): Promise<string> {
  return `base-${hashOf(PACKING, debianTree(edition), ...(await factsOf(programs())))}.erofs`;
}

export async function ensureBase(cacheDir: string, edition: Edition, onProgress: (text: string) => void): Promise<string> {
  const files = programs();
  onProgress('base image: Debian with Python (about 40 s the first time)');
  const debian = await ensureDebian(cacheDir, edition, debianRecipe, onProgress);
  return cached(cacheDir, await baseDisk(edition), async (path) => {
    onProgress('base image: packing');
    const tree = await workFolder(path);
    try {
      await run('tar', [
        '-xf',
        debian,
        '-C',
        tree,
        '--no-same-owner',
        '--same-permissions',
        '--exclude=./dev/*',
        '--exclude=./var/cache/*',
        '--exclude=./var/lib/apt/lists/*',
      ]);
      for (const file of files) await place(tree, file);
      await symlink('bun', join(tree, 'usr/local/bin/bunx'));
      await appendFile(join(tree, 'etc/passwd'), 'agent:x:1000:1000::/home/agent:/bin/sh\n');
      await appendFile(join(tree, 'etc/group'), 'agent:x:1000:\n');
      for (const ofThisHost of ['etc/resolv.conf', 'etc/hostname', 'etc/machine-id']) await rm(join(tree, ofThisHost), { force: true });
      await writeFile(join(tree, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
      await mkdir(join(tree, 'home/agent'), { recursive: true });
      await chmod(join(tree, 'tmp'), 0o1777);
      await packDisk(tree, path);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });
}

/** A disk of its own, so that a change of the guest entry does not copy hundreds of megabytes. */
export async function ensureGuestDisk(cacheDir: string, files: GuestFile[], onProgress: (text: string) => void): Promise<string> {
  return cached(cacheDir, `guest-${hashOf(PACKING, ...(await factsOf(files)))}.erofs`, async (path) => {
    onProgress('guest entry: packing');
    const tree = await workFolder(path);
    try {
      for (const file of files) await place(tree, file);
      await run('chmod', ['-R', 'a+rX', tree]); // whatever umask made of the folders
      await packDisk(tree, path);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });
}

function factsOf(files: GuestFile[]): Promise<string[]> {
  return Promise.all(files.map(async ({ path, source, from, executable }) => `${path} ${executable === true} ${from ?? hashOf(await readFile(source))}`));
}

export async function packDisk(tree: string, path: string): Promise<void> {
  await chmod(tree, 0o755); // the guest's programs are not root
  await makeErofs(tree, path);
  await chmod(path, 0o644);
}

async function place(tree: string, file: GuestFile): Promise<void> {
  const to = join(tree, file.path);
  await mkdir(dirname(to), { recursive: true });
  await copyFile(file.source, to);
  await chmod(to, file.executable === true ? 0o755 : 0o644);
}
