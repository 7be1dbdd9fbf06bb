// A process that holds an author's code for the command line tool: prints its card, or serves it. Spoken to over IPC (contract/wire/author-process.ts).
import { z } from 'zod';
import { Job, type Report } from '../../../contract/wire/author-process.ts';
import { startAgent } from '../runtime/start.ts';
import { registerProjectHooks } from './hooks.ts';
import { load, LoadError } from './load.ts';

const Environment = z.object({ SVC_API_KEY: z.string().min(1).optional() });

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
  const { server, shutdown } = await startAgent(agent, { apiKey, secrets, listen: { host: job.host, port: job.port } });
  const address = server.address();
  const stop = (): void => void shutdown().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  await report({ is: 'serving', card, port: typeof address === 'object' && address ? address.port : job.port });
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `${error.message}: stop what uses the port, or choose another with --port`;
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') return `${error.message}: choose another --host or --port`;
  return error.message;
}

registerProjectHooks();
process.once('message', (message) => {
  work(Job.parse(message)).catch(async (error: unknown) => {
    await report({ is: 'failed', problems: error instanceof LoadError ? [...error.problems] : [{ message: explain(error) }] });
    process.exit(1);
  });
});
