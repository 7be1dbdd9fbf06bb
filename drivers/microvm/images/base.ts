// The base root file system for Node: Debian bookworm, our Node, bun for builds, and the guest files the runtime gives.
import { appendFile, chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cached, hashOf } from './cache.ts';
import { makeErofs } from './layer.ts';
import { MicroVmError, run } from './tools.ts';

const SUITE = 'bookworm';
const INCLUDE = ['ca-certificates', 'libstdc++6'];
const RECIPE = 'base-1';
const PACKING = 'packing-2';
const resolve = createRequire(import.meta.url).resolve;

/** A file put into the base image: absolute path in the guest, path on this host. */
export interface GuestFile {
  path: string;
  source: string;
  executable?: boolean;
}

async function ensureDebian(cacheDir: string, onProgress: (text: string) => void): Promise<string> {
  return cached(cacheDir, `debian-${hashOf(RECIPE, SUITE, ...INCLUDE)}.tar`, async path => {
    onProgress('base image: installing Debian (about 20 s)');
    const root = process.getuid?.() === 0;
    const skip = ['man', 'doc', 'locale', 'info'].map(folder => `--dpkgopt=path-exclude=/usr/share/${folder}/*`);
    const mode = root ? '--mode=root' : '--mode=unshare';
    const args = [mode, '--variant=minbase', '--format=tar', `--include=${INCLUDE.join(',')}`, ...skip, SUITE, path];
    await run('mmdebstrap', args, { onLine: line => line.startsWith('I: ') && onProgress(`base image: ${line.slice(3)}`) }).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error);
      const hint = root
        ? 'Is the Debian mirror reachable?'
        : 'As an ordinary user this needs user namespaces: sudo sysctl -w kernel.unprivileged_userns_clone=1, and the uidmap package with your user in /etc/subuid. Or run once as root with the same cache folder.';
      throw new MicroVmError('image_failed', `The base image could not be installed. ${hint} (${detail})`, { cause: error });
    });
  });
}

export async function ensureBase(cacheDir: string, guestFiles: GuestFile[], onProgress: (text: string) => void): Promise<string> {
  const node = join(dirname(resolve('node/package.json')), 'bin/node');
  const bun = join(dirname(resolve('@oven/bun-linux-x64-baseline/package.json')), 'bin/bun');
  const files: GuestFile[] = [
    { path: '/usr/local/bin/node', source: node, executable: true },
    { path: '/usr/local/bin/bun', source: bun, executable: true },
    ...guestFiles,
  ];
  const facts = await Promise.all(
    files.map(async file => {
      const { size, mtimeMs } = await stat(file.source);
      // Programs of a hundred megabytes are told apart by size and time; everything else by content.
      return `${file.path} ${file.executable === true} ${size > 16_000_000 ? `${size} ${mtimeMs}` : hashOf(await readFile(file.source))}`;
    }),
  );
  const debian = await ensureDebian(cacheDir, onProgress);
  return cached(cacheDir, `base-${hashOf(PACKING, debian.slice(cacheDir.length), ...facts)}.erofs`, async path => {
    onProgress('base image: packing');
    const tree = await mkdtemp(join(tmpdir(), 'svc-base-'));
    try {
      await run('tar', ['-xf', debian, '-C', tree, '--no-same-owner', '--no-same-permissions', '--exclude=./dev/*', '--exclude=./var/cache/*', '--exclude=./var/lib/apt/lists/*']);
      for (const file of files) await place(tree, file);
      await symlink('bun', join(tree, 'usr/local/bin/bunx'));
      await appendFile(join(tree, 'etc/passwd'), 'agent:x:1000:1000::/home/agent:/bin/sh\n');
      await appendFile(join(tree, 'etc/group'), 'agent:x:1000:\n');
      for (const ofThisHost of ['etc/resolv.conf', 'etc/hostname', 'etc/machine-id']) await rm(join(tree, ofThisHost), { force: true });
      await writeFile(join(tree, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n');
      await mkdir(join(tree, 'home/agent'), { recursive: true });
      await chmod(join(tree, 'tmp'), 0o1777);
      await chmod(tree, 0o755); // mkdtemp made it private; the guest's programs are not root
      await makeErofs(tree, path);
      await chmod(path, 0o644);
    } finally {
      await rm(tree, { recursive: true, force: true });
    }
  });
}

async function place(tree: string, file: GuestFile): Promise<void> {
  const to = join(tree, file.path);
  await mkdir(dirname(to), { recursive: true });
  await copyFile(file.source, to);
  await chmod(to, file.executable === true ? 0o755 : 0o644);
}
