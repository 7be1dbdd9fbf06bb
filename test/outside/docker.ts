// A Docker engine of its own, as Debian packages it, with Compose built from its source. Nothing is
// installed; it needs root.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { debianPackage } from '#host/sandbox/test/registry.ts';
import { run } from '#cli/project/languages/run.ts';
import { goBuilt } from './cache.ts';

export interface DockerEngine {
  /** For the `docker` that a test starts. */
  env: Record<string, string>;
  end(): Promise<void>;
}

export async function startDocker(): Promise<DockerEngine> {
  const trees = (await Promise.all(['docker.io', 'containerd', 'runc', 'tini', 'libdevmapper1.02.1'].map((name) => debianPackage(name)))).map((path) =>
    join(path, 'tree'),
  );
  const compose = await goBuilt('github.com/docker/compose/v2', 'v2.40.3', './cmd', 'docker-compose');
  const folder = await mkdtemp(join(tmpdir(), 'svc-docker-'));
  const [bin, config] = [join(folder, 'bin'), join(folder, 'config')];
  await mkdir(bin);
  await symlink(join(trees[3] ?? '', 'usr/bin/tini-static'), join(bin, 'docker-init'));
  await mkdir(join(config, 'cli-plugins'), { recursive: true });
  await copyFile(compose, join(config, 'cli-plugins/docker-compose'));
  const PATH = [bin, ...trees.flatMap((tree) => [join(tree, 'usr/bin'), join(tree, 'usr/sbin')]), process.env.PATH].join(delimiter);
  const LD_LIBRARY_PATH = trees.flatMap((tree) => [join(tree, 'lib/x86_64-linux-gnu'), join(tree, 'usr/lib/x86_64-linux-gnu')]).join(delimiter);
  const DOCKER_HOST = `unix://${join(folder, 'socket')}`;
  const places = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')];
  const engine = spawn('dockerd', [...places, '--host', DOCKER_HOST, '--storage-driver', 'vfs'], {
    env: { ...process.env, PATH, LD_LIBRARY_PATH },
    stdio: 'ignore',
  });
  const ended = once(engine, 'exit');
  const env = { PATH, DOCKER_HOST, DOCKER_CONFIG: config };
  const end = async (): Promise<void> => {
    engine.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await vi.waitFor(
      async () => {
        const { code, stderr } = await run('docker', ['info'], { cwd: folder, env: { ...process.env, ...env } });
        if (code !== 0) throw new Error(`dockerd did not start: ${stderr}`);
      },
      { timeout: 60_000, interval: 500 },
    );
  } catch (error) {
    await end();
    throw error;
  }
  return { env, end };
}
