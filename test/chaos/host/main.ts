// A host whose machines are plain processes: it speaks the same protocol on the same socket as the real one,
// so worker and API cannot tell. For trials of everything but the machines themselves.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { extract } from 'tar';
import { answerError } from '#host/answers.ts';
import { route } from '#host/routes.ts';
import { type AgentRuntime, RuntimeError } from '#drivers/runtime/port.ts';
import { type Instance, load, openInstance } from './instance.ts';

const { SVC_STATE_DIR: stateDir = '', SVC_READY_FILE: ready } = process.env;
const socketPath = join(stateDir, 'run', 'host.sock');
const folders = { vm: join(stateDir, 'vm'), image: join(stateDir, 'image') };
for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true, mode: 0o711 });
const log = (fields: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...fields })}\n`);

const instances = new Map<string, Instance>();
for (const id of await readdir(folders.vm)) {
  const stored = await load(join(folders.vm, id));
  if (stored) instances.set(id, await openInstance(join(folders.vm, id), stored));
}
const known = (id: string): Instance => {
  const found = instances.get(id);
  if (!found) throw new RuntimeError('not_found', `no instance ${id}`);
  return found;
};

const runtime: AgentRuntime = {
  async build({ source, entrypoint }) {
    const bytes = await buffer(source);
    const hash = createHash('sha256').update(bytes).update(entrypoint).digest('hex');
    const app = join(folders.image, hash);
    const temporary = `${app}.${process.pid}`;
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary);
    await writeFile(join(temporary, '.tgz'), bytes);
    await extract({ file: join(temporary, '.tgz'), cwd: temporary });
    await writeFile(join(temporary, '.entrypoint'), entrypoint);
    await rename(temporary, app).catch(async () => rm(temporary, { recursive: true, force: true }));
    return { image: `sha256:${hash}`, size_bytes: bytes.length, cached: false };
  },
  async start(start) {
    const { instance_id } = start;
    const hash = start.image.slice('sha256:'.length);
    const image = { app: join(folders.image, hash), entrypoint: await readFile(join(folders.image, hash, '.entrypoint'), 'utf8') };
    const instance = instances.get(instance_id) ?? (await openInstance(join(folders.vm, instance_id), { start, image, started_at: Date.now() }));
    instances.set(instance_id, instance);
    try {
      await instance.wake();
      return { instance_id, runtime: 'process', card: await cardAt(join(folders.vm, instance_id, 'agent.sock'), start.api_key) };
    } catch (error) {
      throw new RuntimeError('start_failed', error instanceof Error ? error.message : String(error));
    }
  },
  async stop(id) {
    await instances.get(id)?.stop();
    instances.delete(id);
  },
  sleep: async (id) => void known(id),
  wake: (id) => known(id).wake(),
  restrict: async (id) => void known(id),
  networkDenials: async () => ({ boot_id: 'process', items: [] }),
  networkQuestions: async ({ wait_ms }) => {
    await sleep(wait_ms);
    return [];
  },
  current: async () => ({ runtime: 'process', sdk: 'process' }),
  instances: async () =>
    [...instances.values()].map(({ stored: { start, started_at } }) => ({
      instance_id: start.instance_id,
      agent: start.agent,
      deployment_id: start.deployment_id,
      image: start.image,
      tier: 'awake' as const,
      started_at,
      last_used_at: started_at,
      memory_bytes: 0,
    })),
  logs: async () => [],
  address: (id) => ({ unix: join(folders.vm, id, 'http.sock') }),
  async keepOnly(keep) {
    const gone = [...instances.values()].filter(
      ({ stored }) => !keep.instances.includes(stored.start.instance_id) && stored.started_at < (keep.started_before ?? Infinity),
    );
    for (const { stored } of gone) await runtime.stop(stored.start.instance_id);
    const used = new Set([...keep.images, ...[...instances.values()].map(({ stored }) => stored.start.image)]);
    const deleted = (await readdir(folders.image)).map((hash) => `sha256:${hash}`).filter((image) => !used.has(image));
    for (const image of deleted) await rm(join(folders.image, image.slice('sha256:'.length)), { recursive: true, force: true });
    return { stopped: gone.map(({ stored }) => stored.start.instance_id), deleted };
  },
};

function cardAt(path: string, apiKey: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request({ socketPath: path, path: '/.well-known/agent-card', headers: { authorization: `Bearer ${apiKey}` } }, (response) => {
      text(response).then((body) => resolve(JSON.parse(body)), reject);
    })
      .once('error', reject)
      .end();
  });
}

const host = {
  runtime,
  questions: { exchange: runtime.networkQuestions },
  sandboxes: undefined,
  boxes: undefined,
  log,
  health: async () => ({ status: 'ok', instances: instances.size }),
  metrics: async () => '',
};
const server = createServer((asked, response) => {
  route(host, asked, response).catch((error: unknown) => {
    if (!(error instanceof RuntimeError)) log({ msg: 'failed', error: String(error) });
    answerError(asked, response, error);
  });
});
await rm(socketPath, { force: true });
server.listen(socketPath);
if (ready !== undefined) await writeFile(ready, '');
log({ msg: 'listening', instances: instances.size });
process.once('SIGTERM', () => process.exit(0));
