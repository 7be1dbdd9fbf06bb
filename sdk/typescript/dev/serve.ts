// An author's agent as a server that listens nowhere: its connections are handed to it.
import { request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { z } from 'zod';
import type { Job } from '../../../contract/wire/author-process.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Credentials } from '../runtime/options.ts';
import type { RunPlatform } from '../runtime/platform.ts';
import { startAgent } from '../runtime/start.ts';
import { setupFromEnvironment, type Setup } from '../runtime/setup.ts';
import { keepSpareWorker } from '../sidecar/process.ts';
import { startSidecar } from '../sidecar/start.ts';
import { load } from './load.ts';

export type ServeJob = Exclude<Job, { do: 'card' }>;

export interface Served {
  server: Server;
  card: AgentCard;
  healthy: () => Promise<boolean>;
  shutdown: () => Promise<void>;
}

const Environment = z.object({ SVC_API_KEY: z.string().min(1).optional() });
const HEALTH_TIMEOUT_MS = 10_000;

/** @throws LoadError */
export async function serveAgent({ file, className, frontend }: Extract<Job, { do: 'serve' }>, platform: RunPlatform): Promise<Served> {
  const { agent, card } = await load(file, className);
  const { server, shutdown } = await startAgent(agent, { ...credentials(card), platform, frontend });
  return { server, card, healthy: () => healthy(server), shutdown };
}

/** @throws WorkerFailed */
export async function serveWorker({ dsl, command, args, spare, frontend }: Extract<Job, { do: 'serve_worker' }>, platform: RunPlatform): Promise<Served> {
  const { card } = dsl;
  // Secrets reach the worker by the protocol, as they do where the agent is deployed.
  const withheld = new Set([...card.required_secrets, 'SVC_API_KEY', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']);
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (withheld.has(name) || value === undefined ? [] : [[name, value]])));
  const worker = { command, args, cwd: process.cwd(), env, ...(spare !== undefined && { spare }) };
  const { server, shutdown } = await startSidecar({ dsl, worker, ...credentials(card), platform, frontend });
  // The next one loads its language while this one serves.
  keepSpareWorker(worker);
  return { server, card, healthy: () => healthy(server), shutdown };
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
  const asked = request({ path: '/healthz', createConnection: () => here }, (response) => {
    response.resume();
    response.once('end', () => resolve(response.statusCode === 200));
  });
  asked.once('error', () => resolve(false)).end();
  return await promise.finally(() => {
    clearTimeout(timer);
    here.destroy();
    there.destroy();
  });
}
