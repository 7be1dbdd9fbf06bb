// A process that holds an author's code for the command line tool: prints its card, or serves it. Spoken to over IPC (contract/wire/author-process.ts).
import { Socket } from 'node:net';
import { z } from 'zod';
import { Connection, Job, Retire, type Report } from '../../../contract/wire/author-process.ts';
import { createAgentServer } from '../runtime/server.ts';
import { connectionsOf } from './connections.ts';
import { localPlatform } from '../platform/local.ts';
import { terminalQuestions } from './questions.ts';
import { registerProjectHooks } from './hooks.ts';
import { load, LoadError } from './load.ts';

const Environment = z.object({ SVC_API_KEY: z.string().min(1).optional() });
const HEALTH_TIMEOUT_MS = 10_000;

function report(message: Report): Promise<void> {
  return new Promise((resolve) => (process.send ? process.send(message, undefined, {}, () => resolve()) : resolve()));
}

async function work(job: Job): Promise<void> {
  const { agent, card } = await load(job.file, job.className);
  if (job.do === 'card') {
    await report({ is: 'card', card });
    // The author's module may hold timers or sockets open.
    process.exit(0);
  }
  const { SVC_API_KEY: apiKey } = Environment.parse(process.env);
  const secrets = Object.fromEntries(card.required_secrets.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const questions = terminalQuestions();
  const platform = localPlatform({ workspace: job.workspace, onQuestion: questions.ask });
  const { server, shutdown, listening } = createAgentServer(agent, { apiKey, secrets, platform });
  listening(job.url);
  const connections = connectionsOf(server);
  if (!(await healthy(agent))) throw new Error('health() says no: the agent would not be put into service');
  const stop = (): void => void shutdown().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  process.on('message', (message, handle) => {
    if (Connection.safeParse(message).success && handle instanceof Socket) connections.add(handle);
    questions.hear(message);
    if (!Retire.safeParse(message).success) return;
    connections.retire();
    stop();
  });
  await report({ is: 'serving', card });
}

async function healthy(agent: { health(): Promise<boolean> }): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), HEALTH_TIMEOUT_MS);
  agent.health().then(resolve, () => resolve(false));
  return promise.finally(() => clearTimeout(timer));
}

registerProjectHooks();
process.once('message', (message) => {
  work(Job.parse(message)).catch(async (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    await report({ is: 'failed', problems: error instanceof LoadError ? [...error.problems] : [{ message }] });
    process.exit(1);
  });
});
