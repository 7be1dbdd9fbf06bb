// A call between agents, when the API and the database that wrote it down end at the same moment: what the
// disk has of it is enough to end it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { freePort } from '#stack/ports.ts';
import { answersQuery, type Cluster, prepareCluster } from '#stack/postgres.ts';
import { identify, type Identity, stopProcess } from '#stack/process.ts';
import { start } from '#stack/program.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent, runOf } from '#test/support/runs.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { beginCall } from '#test/support/calls.ts';
import { sweepLostCalls } from './lost-calls.ts';

let folder: string;
let cluster: Cluster;
let server: Identity | undefined;
let t: TestContext;

/** Without a wait for the disk a commit would stay in memory for this long. */
const unwritten = ['-c', 'wal_writer_delay=10s', '-c', 'autovacuum=off'];

async function startServer(): Promise<void> {
  const child = await start({ ...cluster.program, args: [...cluster.program.args, ...unwritten] }, 'ignore');
  server = identify(child.pid);
  await vi.waitFor(() => answersQuery(cluster.url), { timeout: 20_000 });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-open-calls-'));
  // PostgreSQL runs as a user of its own where we are root: it must be able to pass.
  await chmod(folder, 0o711);
  cluster = await prepareCluster({
    dir: join(folder, 'postgres'),
    passwordFile: join(folder, 'password'),
    port: await freePort(),
    cacheDir: cacheFolder(process.env),
    durable: true,
  });
  await startServer();
  await migrate(cluster.url);
  t = await testContext({ databaseUrl: cluster.url });
});
afterAll(async () => {
  await t.close();
  if (server) await stopProcess(server, 'SIGQUIT', 5_000);
  await rm(folder, { recursive: true, force: true });
});

test('the row of a run that was called and the note of its call are there together, and the sweep ends it', async () => {
  const ada = await t.user('ada');
  const [front, back] = [await liveAgent(t.ctx, ada.actor.user_id), await liveAgent(t.ctx, ada.actor.user_id)];
  const caller = runOf(t.ctx, front, ada.actor.user_id);
  const route = await resolveRoute(t.ctx, back.name);
  if (!route || !server) throw new Error('the agent is not live');
  const { call } = await beginCall(caller, {
    route,
    actor: caller.actor,
    skill: 'work',
    grant: undefined,
    input: { inputSha256: 'a'.repeat(64), args: () => ({}) },
  });
  // As kill -9 would: what is only in its memory is gone.
  expect(await stopProcess(server, 'SIGQUIT', 5_000)).toBe(true);
  await startServer();
  const mine = () => t.ctx.db('open_calls').where({ call_id: call.callId });
  await expect.poll(() => mine().then((rows) => rows.length, String)).toBe(1);
  expect(await t.ctx.db('runs').where({ run_id: call.run.run_id }).first('state')).toEqual({ state: 'running' });
  // No heartbeat comes from the process that started it.
  await mine().update({ began_at: new Date(Date.now() - 60_000).toISOString() });
  expect(await sweepLostCalls(t.ctx)).toEqual([call.callId]);
  expect(await t.ctx.db('runs').where({ run_id: call.run.run_id }).first('state')).toEqual({ state: 'failed' });
  expect(await t.ctx.db('receipts').where({ run_id: call.run.run_id }).select('status')).toEqual([{ status: 'error' }]);
});
