// Compose, run for `svc chat`: by the `docker` on the PATH, which is asked for nothing but this.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CliError } from '../lib/errors.ts';
import { run, tail, type ProgramResult } from '../project/languages/run.ts';
import type { Resource } from './compose.ts';

export interface Compose {
  /** `.svc` of the project. */
  folder: string;
  say: (text: string) => void;
}

const FILE = 'compose.chat.yaml';

export async function writeCompose({ folder }: Compose, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), text);
}

/** Whether containers can be started here. */
export async function dockerWorks(cwd: string): Promise<boolean> {
  for (const args of [
    ['compose', 'version'],
    ['info', '--format', '{{.ServerVersion}}'],
  ]) {
    if ((await run('docker', args, { cwd, withinMs: 15_000 })).code !== 0) return false;
  }
  return true;
}

/** Waits until they are well. Answers with their settings for an agent on this machine. @throws CliError */
export async function bringUp(compose: Compose, resources: readonly Resource[]): Promise<Record<string, string>> {
  await docker(compose, ['up', '--detach', '--wait', ...resources.map(({ service }) => service)]);
  const settings: Record<string, string> = {};
  for (const { service, env, port, url } of resources) {
    const { stdout } = await docker(compose, ['port', service, String(port)]);
    const at = Number(/:(\d+)\s*$/.exec(stdout)?.[1]);
    if (!Number.isInteger(at)) throw new CliError(`Docker did not say where ${service} is reached: ${stdout.trim()}`);
    settings[env] = url('127.0.0.1', at);
  }
  return settings;
}

/** Starts all of it, the agent in its image, and leaves it running. @throws CliError */
export async function bringUpAll(compose: Compose, build: boolean): Promise<void> {
  await docker(compose, ['up', '--detach', '--wait', ...(build ? ['--build'] : ['--no-build'])]);
}

/** What the agent's container writes, its restarts among them, until the signal. */
export async function followLogs({ folder }: Compose, show: (text: string) => void, signal: AbortSignal): Promise<void> {
  let since: string[] = [];
  while (!signal.aborted) {
    const args = ['compose', '--file', join(folder, FILE), 'logs', '--follow', '--no-log-prefix', '--no-color', ...since, 'agent'];
    // A group of its own: until version 23 `docker` itself pays no heed to a signal while Compose runs.
    const child = spawn('docker', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid);
      } catch {
        // Gone already.
      }
    };
    signal.addEventListener('abort', end, { once: true });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', show);
    await once(child, 'close');
    signal.removeEventListener('abort', end);
    // A container that was replaced ends its log.
    since = ['--since', new Date().toISOString()];
    await sleep(500, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws CliError */
export async function takeDown(compose: Compose, volumes: boolean): Promise<void> {
  await docker(compose, ['down', '--remove-orphans', ...(volumes ? ['--volumes'] : [])]);
}

/** The layers of the image `svc build` made, under the names the Compose file has for them. */
export async function nameLayers(layout: string, digest: string): Promise<void> {
  const blob = (name: string): string => join(layout, 'blobs', name.replace(':', '/'));
  const { layers } = Manifest.parse(JSON.parse(await readFile(blob(digest), 'utf8')));
  for (const [i, name] of ['base', 'app'].entries()) {
    const path = join(layout, `${name}.tar.gz`);
    await rm(path, { force: true });
    await link(blob(layers[i]?.digest ?? ''), path);
  }
}

const Manifest = z.object({ layers: z.array(z.object({ digest: z.string() })).length(2) });

async function docker({ folder, say }: Compose, args: readonly string[]): Promise<ProgramResult> {
  const result = await run('docker', ['compose', '--file', join(folder, FILE), ...args], { cwd: folder, show: say });
  if (result.code === 0) return result;
  if ((result.code === null && /ENOENT/.test(result.stderr)) || /unknown command|is not a docker command/.test(result.stderr)) {
    throw new CliError(
      'This needs Docker with Compose, which is not here. Without it: svc chat --no-up, with the addresses of your own services in .env.local; svc chat --print-compose shows what would be started.',
    );
  }
  throw new CliError(`docker compose ${args[0]} failed: ${tail(result.stderr, 3)}`);
}
