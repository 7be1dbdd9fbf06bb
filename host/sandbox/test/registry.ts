// A real registry (CNCF Distribution, as Debian packages it) on loopback, and images made of a static
// busybox. Nothing is installed.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cached } from '../../microvm/images/cache.ts';
import { run } from '../../microvm/images/tools.ts';
import { cacheDir } from '../../test/support.ts';
import { freePort } from '#test/support/free-port.ts';

/** The registry's program and the images' busybox, fetched the first time on a machine. */
export const ensureRegistryPrograms = (): Promise<string[]> => Promise.all([debianPackage('docker-registry'), debianPackage('busybox-static')]);

/** The files of a Debian package, unpacked once into the cache. */
export const debianPackage = (name: string): Promise<string> =>
  cached(join(cacheDir, 'test'), `debian-${name}`, async (path) => {
    await mkdir(path);
    await run('apt-get', ['download', name], { cwd: path });
    const deb = (await readdir(path)).find((file) => file.endsWith('.deb'));
    await run('dpkg', ['-x', join(path, deb ?? ''), join(path, 'tree')]);
  });

export interface TestRegistry {
  /** host:port */
  name: string;
  /** Pushes an image of these layers, each a folder that becomes a tar, and answers its reference. */
  push(repository: string, layers: string[], env?: string[]): Promise<string>;
  /** A folder with a busybox in /bin and its usual names. */
  busybox(): Promise<string>;
  stop(): Promise<void>;
  end(): Promise<void>;
}

export async function testRegistry(): Promise<TestRegistry> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-registry-'));
  const [program = '', shell = ''] = await ensureRegistryPrograms();
  const name = `127.0.0.1:${await freePort()}`;
  const config = join(dir, 'config.yml');
  await writeFile(config, `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${join(dir, 'data')} } }\nhttp: { addr: "${name}" }\n`);
  const child = spawn(join(program, 'tree/usr/bin/docker-registry'), ['serve', config], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exit;
  };
  for (let attempt = 0; ; attempt++) {
    if (await fetch(`http://${name}/v2/`).then((answer) => answer.ok, () => false)) break; // prettier-ignore
    if (attempt > 1_200) throw new Error('the registry did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  let count = 0;
  return {
    name,
    async push(repository, layers, env = []) {
      const work = join(dir, `image-${count++}`);
      await run('umoci', ['init', '--layout', work]);
      await run('umoci', ['new', '--image', `${work}:it`]);
      for (const [index, layer] of layers.entries()) {
        const tar = layer.endsWith('.tar') ? layer : `${work}-${index}.tar`;
        if (tar !== layer) await run('tar', ['-cf', tar, '-C', layer, '--owner=0', '--group=0', '.']);
        await run('umoci', ['raw', 'add-layer', '--image', `${work}:it`, tar]);
      }
      if (env.length > 0) await run('umoci', ['config', '--image', `${work}:it`, ...env.flatMap((pair) => ['--config.env', pair])]);
      await run('skopeo', ['--insecure-policy', 'copy', '--quiet', '--dest-tls-verify=false', `oci:${work}:it`, `docker://${name}/${repository}`]);
      return `${name}/${repository}`;
    },
    async busybox() {
      const tree = join(dir, `tree-${count++}`);
      await mkdir(join(tree, 'bin'), { recursive: true });
      await run('cp', [join(shell, 'tree/bin/busybox'), join(tree, 'bin/busybox')]);
      for (const command of ['sh', 'ls', 'cat', 'echo', 'id', 'pwd', 'env', 'sleep', 'uname']) await symlink('busybox', join(tree, 'bin', command));
      return tree;
    },
    stop,
    async end() {
      await stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
