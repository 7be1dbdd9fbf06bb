// `npm run walk -- call|answer|deploy`: which files one real request passes, under precise coverage: what was
// loaded before does not count, only functions that ran for it. Everything is in one process: the API over
// HTTP, the domain, PostgreSQL, and for a call the agent on its socket. The work of a worker afterwards (the
// build, the delivery of an answer) is not in it.
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '#contract/client.ts';
import { inTx } from '#core/kernel/tx.ts';
import { newId } from '#core/kernel/ids.ts';
import { openWait } from '#core/pauses/wait/open.ts';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { startAgent } from '#sdk/typescript/runtime.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { testContext } from '#test/support/context.ts';
import { greeterFiles, tarball } from '#test/support/project.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import { ACCOUNT, BEARER, serveContext } from './api-part.ts';
import { benchCluster } from './database.ts';

const root = join(import.meta.dirname, '..');
const OURS = /^(api|core|drivers|contract|sdk|db|host)\//;

class Greeter extends Agent {
  override name = 'greeter';
  override description = 'Greets.';
  override version = '1.0.0';
  work = skill({ input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) }, async (_ctx, { name }) => ({ text: `Hello, ${name}!` }));
}

const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create() });
await t.ctx.db('users').insert({ ...ACCOUNT, name: 'Ada', operator: false });
const agent = await liveAgent(t.ctx, ACCOUNT.user_id, { card: { skills: [{ id: 'work', name: 'work', description: '' }] } });
const path = socketOf(t.ctx.drivers.runtime.address(agent.instanceId));
await mkdir(dirname(path), { recursive: true });
const server = await startAgent(Greeter, { apiKey: 'the-key', listen: { path }, onLog: () => undefined });
const stopping = new AbortController();
const client = createClient({ baseUrl: await serveContext(t.ctx, stopping), token: async () => BEARER.slice('Bearer '.length) });

async function question(): Promise<string> {
  const run = runOf(t.ctx, agent, ACCOUNT.user_id);
  const waitId = `qst_${randomUUID()}`;
  await inTx(run, (ctx) => openWait(ctx, { waitId, kind: 'question', prompt: 'Blue?', request: {}, timeoutSeconds: 600 }));
  return waitId;
}

/** Each is prepared, then sent: what prepares it does not count. */
const WALKS: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  call: async () => () => client.agents.invoke({ params: { name: agent.name, skill_name: 'work' }, body: { name: 'Ada' }, headers: {} }),
  answer: async () => {
    const question_id = await question();
    return () => client.chat.answerQuestion({ params: { question_id }, body: { answer: 'yes' } });
  },
  deploy: async () => {
    const name = `greeter-${newId('req').slice(-8)}`;
    const form = new FormData();
    form.set('source', new Blob([new Uint8Array(await tarball(greeterFiles(name)))]), 'source.tar.gz');
    return () => client.agents.fromTarball({ body: form });
  },
};

async function filesOf(walk: () => Promise<() => Promise<unknown>>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await (
    await walk()
  )();
  const send = await walk();
  await pause(200);
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await send();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return result
    .filter(
      ({ url, functions }) =>
        url.startsWith('file:') && functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0)),
    )
    .map(({ url }) => relative(root, fileURLToPath(url)))
    .filter((file) => OURS.test(file))
    .toSorted();
}

const wanted = process.argv.slice(2);
try {
  for (const [name, walk] of Object.entries(WALKS).filter(([name]) => wanted.length === 0 || wanted.includes(name))) {
    const files = await filesOf(walk);
    const areas = Map.groupBy(files, (file) =>
      file
        .split('/')
        .slice(0, file.startsWith('core/') || file.startsWith('api/') ? 2 : 1)
        .join('/'),
    );
    process.stdout.write(`${name}: ${files.length} files\n`);
    for (const [area, list] of areas) process.stdout.write(`  ${area} ${list.length}\n${list.map((file) => `    ${file}\n`).join('')}`);
  }
} finally {
  stopping.abort();
  await server.shutdown();
  await t.close();
  await cluster.stop();
}
process.exit(0);
