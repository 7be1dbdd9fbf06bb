// One agent process and the way to it. As with a machine: it outlives the host, which finds it again by what
// is on disk; one that is gone is started anew by the next connection, and has forgotten everything.
import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { StartBody } from '#drivers/runtime/wire.ts';
import { identify, Identity, isAlive, stopProcess } from '#stack/process.ts';
import { start as spawnProgram } from '#stack/program.ts';

const Image = z.object({ app: z.string(), entrypoint: z.string() });
type Image = z.infer<typeof Image>;
const Stored = z.object({ start: StartBody, image: Image, process: Identity.optional(), started_at: z.number() });
export type Stored = z.infer<typeof Stored>;

export interface Instance {
  stored: Stored;
  /** Resolves when the agent answers. */
  wake(): Promise<void>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('./agent.ts', import.meta.url));
const startMs = 60_000;

export async function load(dir: string): Promise<Stored | undefined> {
  const text = await readFile(join(dir, 'instance.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Stored.parse(JSON.parse(text));
}

export async function openInstance(dir: string, stored: Stored): Promise<Instance> {
  const inside = join(dir, 'agent.sock');
  let waking: Promise<void> | undefined;
  await mkdir(dir, { recursive: true });
  await save();

  async function save(): Promise<void> {
    const temporary = join(dir, `instance.json.${randomUUID()}`);
    await writeFile(temporary, JSON.stringify(stored), { mode: 0o600 });
    await rename(temporary, join(dir, 'instance.json'));
  }

  async function begin(): Promise<void> {
    if (!stored.process || !isAlive(stored.process)) {
      await rm(inside, { force: true });
      const config = join(dir, 'agent.json');
      await writeFile(config, JSON.stringify({ ...stored.image, socket: inside, start: stored.start }), { mode: 0o600 });
      const log = openSync(join(dir, 'agent.log'), 'a', 0o600);
      const env = { PATH: process.env.PATH ?? '', HOME: dir, SVC_SUPERVISED: process.env.SVC_SUPERVISED ?? '' };
      const child = await spawnProgram({ command: process.execPath, args: ['--disable-warning=ExperimentalWarning', program, config], cwd: dir, env }, [
        'ignore',
        log,
        log,
      ]);
      child.unref();
      const identity = identify(child.pid);
      if (!identity) throw new Error('the agent ended at once');
      stored.process = identity;
      await save();
    }
    for (const until = Date.now() + startMs; ;) {
      if (await accepts(inside)) return;
      if (!isAlive(stored.process)) throw new Error(`the agent ended: ${(await readFile(join(dir, 'agent.log'), 'utf8')).slice(-2_000)}`);
      if (Date.now() > until) throw new Error('the agent does not answer');
      await sleep(30);
    }
  }
  const wake = (): Promise<void> => (waking ??= begin().finally(() => (waking = undefined)));

  const outside = join(dir, 'http.sock');
  await rm(outside, { force: true });
  const server = await bridge(outside, inside, wake);
  return {
    stored,
    wake,
    stop: async () => {
      server.close();
      if (stored.process) await stopProcess(stored.process, 'SIGTERM', 2_000);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function bridge(outside: string, inside: string, wake: () => Promise<void>): Promise<Server> {
  const server = createServer((caller) => {
    caller.on('error', () => caller.destroy());
    wake().then(
      () => joined(caller, connect(inside)),
      () => caller.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(outside, resolve));
  return server;
}

function joined(caller: Socket, agent: Socket): void {
  agent.on('error', () => caller.destroy());
  agent.on('close', () => caller.destroy());
  caller.on('close', () => agent.destroy());
  caller.pipe(agent).pipe(caller);
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
