// A process that holds an author's code for the command line tool: prints its card, or serves it. Spoken to over IPC (contract/wire/author-process.ts).
import { Socket } from 'node:net';
import { Connection, Job, Retire, type Report } from '../../../contract/wire/author-process.ts';
import { localPlatform } from '../platform/local.ts';
import { connectionsOf } from './connections.ts';
import { registerProjectHooks } from './hooks.ts';
import { load, LoadError } from './load.ts';
import { terminalQuestions } from './questions.ts';
import { serveAgent, serveWorker, type Served, type ServeJob } from './serve.ts';

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

async function serve(job: ServeJob): Promise<void> {
  const questions = terminalQuestions();
  const platform = localPlatform({ workspace: job.workspace, onQuestion: questions.ask });
  const { server, card, healthy, shutdown }: Served = job.do === 'serve' ? await serveAgent(job, platform) : await serveWorker(job, platform);
  platform.listening?.(card.name, job.url);
  const stop = (): void => void shutdown().then(() => process.exit(0));
  if (!(await healthy())) {
    await shutdown();
    throw new Error('health() returned false: the agent would not enter service');
  }
  const connections = connectionsOf(server);
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
  // The parent has gone already: nothing would ever end this process.
  if (!process.connected) stop();
}

registerProjectHooks();
process.once('message', (message) => {
  work(Job.parse(message)).catch(async (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    await report({ is: 'failed', problems: error instanceof LoadError ? [...error.problems] : [{ message }] });
    process.exit(1);
  });
});
