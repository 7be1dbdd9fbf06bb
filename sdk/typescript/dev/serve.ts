// An author's agent as a server that listens nowhere: its connections are handed to it.
import { request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { z } from 'zod';
import type { Job } from '../../../contract/wire/author-process.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import { AgentDsl } from '../../../contract/wire/dsl.ts';
import { foldFrames } from '../../../contract/wire/stack-frames.ts';
import { type Entry, stderrSink } from '../runtime/log.ts';
import type { Credentials } from '../runtime/options.ts';
import type { RunPlatform } from '../runtime/platform.ts';
import { startAgent } from '../runtime/start.ts';
import { setupFromEnvironment, type Setup } from '../runtime/setup.ts';
import { keepSpareWorker, type WorkerCommand } from '../sidecar/process.ts';
import type { SharedProcess } from '../sidecar/shared.ts';
import { startSidecar, type StartedSidecar } from '../sidecar/start.ts';
import { load, LoadError } from './load.ts';

export type ServeJob = Exclude<Job, { do: 'card' }>;
export type ReloadJob = Extract<Job, { do: 'reload_worker' }>;

export interface Served {
  server: Server;
  card: AgentCard;
  healthy: () => Promise<boolean>;
  shutdown: () => Promise<void>;
  /** What it was started with, and what loads changed code into it. */
  worker?: { of: Of; reload: StartedSidecar['reload'] };
}

interface Of {
  worker: WorkerCommand;
  packages: string | undefined;
}

const Environment = z.object({ SVC_API_KEY: z.string().min(1).optional() });
/** As svc/traces.py folds them. */
const FOLDED_IN_PYTHON = /^ {2}… \d+ frames? in .*$/gm;
const HEALTH_TIMEOUT_MS = 10_000;

/** @throws LoadError */
export async function serveAgent({ file, className, frontend, verbose }: Extract<Job, { do: 'serve' }>, platform: RunPlatform): Promise<Served> {
  const { agent, card } = await load(file, className);
  const given = credentials(card);
  const { server, shutdown } = await startAgent(agent, { ...given, onLog: logOf(given, verbose), platform, frontend });
  return { server, card, healthy: () => healthy(server), shutdown };
}

/** @throws WorkerFailed */
export async function serveWorker(
  { dsl, frontend, ...started }: Extract<Job, { do: 'serve_worker' }>,
  platform: RunPlatform,
  joins?: SharedProcess,
): Promise<Served> {
  const { card } = dsl;
  const of = { worker: commandOf(started, card), packages: started.packages };
  const given = credentials(card);
  const onLog = logOf(given, started.verbose);
  const { server, shutdown, reload } = await startSidecar({ dsl, worker: of.worker, joins, ...given, onLog, platform, frontend });
  // The next one loads its language while this one serves.
  keepSpareWorker(of.worker);
  return { server, card, healthy: () => healthy(server), shutdown, worker: { of, reload } };
}

/**
 * The changed project in the worker's process that serves already. Undefined: another is to be started.
 * @throws LoadError, WorkerFailed
 */
export async function reloadWorker(job: ReloadJob, platform: RunPlatform, current: Served | undefined): Promise<Served | undefined> {
  if (!current?.worker || !isOf(job, current.card, current.worker.of)) return undefined;
  const reloaded = await current.worker.reload().catch(() => undefined);
  if (!reloaded) return undefined;
  const { said, process } = reloaded;
  if (said.t === 'not_reloaded') {
    // What another process may load is for that one to tell.
    if (said.of_process) return undefined;
    throw new LoadError(said.problems);
  }
  const dsl = AgentDsl.safeParse(said.dsl);
  if (!dsl.success) throw new LoadError(dsl.error.issues.map(({ path, message }) => ({ message: `${path.map(String).join('.') || '(top)'}: ${message}` })));
  // It has in its environment what is a secret now, or the other way round.
  if (!isOf(job, dsl.data.card, current.worker.of)) return undefined;
  return await serveWorker({ ...job, do: 'serve_worker', dsl: dsl.data }, platform, process);
}

function commandOf({ command, args, spare }: Omit<ReloadJob, 'do' | 'url'>, card: AgentCard): WorkerCommand {
  // Secrets reach the worker by the protocol, as they do where the agent is deployed.
  const withheld = new Set([...card.required_secrets, 'SVC_API_KEY', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']);
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (withheld.has(name) || value === undefined ? [] : [[name, value]])));
  return { command, args, cwd: process.cwd(), env, ...(spare !== undefined && { spare }) };
}

const isOf = (job: ReloadJob, card: AgentCard, of: Of): boolean =>
  JSON.stringify({ worker: commandOf(job, card), packages: job.packages }) === JSON.stringify(of);

/** JSON lines on stderr; an author at a terminal sees the frames that are the author's. */
function logOf({ secrets = {} }: Credentials, verbose = false): (entry: Entry) => void {
  const write = stderrSink(() => secrets);
  return (entry) =>
    write(
      verbose || typeof entry['stack'] !== 'string'
        ? entry
        : { ...entry, stack: foldFrames(entry['stack']).replaceAll(FOLDED_IN_PYTHON, '$&; --verbose shows them') },
    );
}

function credentials(card: AgentCard): Credentials & { setup: Setup } {
  const { SVC_API_KEY: apiKey } = Environment.parse(process.env);
  const secrets = Object.fromEntries(card.required_secrets.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { apiKey, secrets, setup: setupFromEnvironment(card.consumer_setup, process.env) };
}

/** Asked as a platform asks, over a connection in memory. */
async function healthy(server: Server): Promise<boolean> {
  const [there, here] = duplexPair();
  server.emit('connection', there);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), HEALTH_TIMEOUT_MS);
  const healthRequest = request({ path: '/healthz', createConnection: () => here }, (response) => {
    response.resume();
    response.once('end', () => resolve(response.statusCode === 200));
  });
  healthRequest.once('error', () => resolve(false)).end();
  return await promise.finally(() => {
    clearTimeout(timer);
    here.destroy();
    there.destroy();
  });
}
