// A process that holds an author's code for the command line tool: prints its card, or serves it. Spoken to
// over IPC (contract/wire/author-process.ts).
import { Socket } from 'node:net';
import { Connection, Job, Retire, type Report } from '../../../contract/wire/author-process.ts';
import { DEFAULT_MODEL_VARIABLE, EMBEDDING_MODEL_VARIABLE } from '../../../contract/wire/model-use.ts';
import { localPlatform } from '../platform/local.ts';
import type { RunPlatform } from '../runtime/platform.ts';
import { type Connections, connectionsOf } from './connections.ts';
import { loadAnew, registerProjectHooks } from './hooks.ts';
import { load, LoadError } from './load.ts';
import { terminalQuestions } from './questions.ts';
import { reloadWorker, serveAgent, serveWorker, type Served, type ServeJob } from './serve.ts';

function report(message: Report): Promise<void> {
  return new Promise((resolve) => (process.send ? process.send(message, undefined, {}, () => resolve()) : resolve()));
}

async function work(job: Job): Promise<void> {
  if (job.do === 'card') {
    const { card } = await load(job.file, job.className);
    await report({ is: 'card', card });
    // The author's module may hold timers or sockets open.
    process.exit(0);
  }
  await serve(job);
}

interface Current {
  served: Served;
  connections: Connections;
}

/** Set by who works here: goes before the project's. */
const givenModels = new Set([DEFAULT_MODEL_VARIABLE, EMBEDDING_MODEL_VARIABLE].filter((name) => process.env[name] !== undefined));
const questions = terminalQuestions();
let current: Current | undefined;

/** In the place of what was served before, which finishes its runs. What does not come up changes nothing. */
async function serve(job: ServeJob): Promise<void> {
  useModels(job.models ?? {});
  const platform = localPlatform({ workspace: job.workspace, onQuestion: questions.ask });
  const served = await bringUp(job, platform);
  if (!served) return await report({ is: 'not_reloadable' });
  platform.listening?.(served.card.name, job.url);
  if (!(await served.healthy())) {
    await served.shutdown();
    throw new Error('health() returned false: the agent would not enter service');
  }
  const before = current;
  current = { served, connections: connectionsOf(served.server) };
  if (before) void before.connections.retire().then(() => before.served.shutdown());
  await report({ is: 'serving', card: served.card });
  // The parent has gone already: nothing would ever end this process.
  if (!process.connected) stop();
}

/** Undefined: a worker that cannot take it up in its process. @throws LoadError, WorkerFailed */
async function bringUp(job: ServeJob, platform: RunPlatform): Promise<Served | undefined> {
  if (job.do === 'serve') return await serveAgent(job, platform);
  if (job.do === 'serve_worker') return await serveWorker(job, platform);
  return await reloadWorker(job, platform, current?.served);
}

function useModels(models: Readonly<Record<string, string>>): void {
  for (const name of [DEFAULT_MODEL_VARIABLE, EMBEDDING_MODEL_VARIABLE]) {
    if (givenModels.has(name)) continue;
    const model = models[name];
    if (model === undefined) delete process.env[name];
    else process.env[name] = model;
  }
}

function stop(): void {
  if (current) void current.served.shutdown().then(() => process.exit(0));
  else process.exit(0);
}

async function take(job: Job): Promise<void> {
  const again = current !== undefined;
  try {
    if (again) loadAnew();
    await work(job);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await report({ is: 'failed', problems: error instanceof LoadError ? [...error.problems] : [{ message }] });
    if (!again) process.exit(1);
  }
}

registerProjectHooks();
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
process.once('disconnect', stop);
process.on('message', (message, handle) => {
  if (Connection.safeParse(message).success) {
    if (handle instanceof Socket) current?.connections.add(handle);
    return;
  }
  questions.hear(message);
  const job = Job.safeParse(message);
  if (job.success) void take(job.data);
  if (!Retire.safeParse(message).success) return;
  void (current?.connections.retire() ?? Promise.resolve()).then(stop);
});
