// `node bench/lost-workflow.ts [waits] [runs] [trials]`: so many open waits and durable runs on a real
// Temporal server and a real database, without workers. One workflow is terminated; how long until the
// platform has noticed and repaired it, its loop going round as in a worker, and what a round costs while
// nothing is lost. Then the server is emptied: how long until everything was started again. In full: 10000
// 1000; ends with 1 above 60 s.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startAgain } from '#core/kernel/lost-workflow.ts';
import { newId } from '#core/kernel/ids.ts';
import { outboxLoops } from '#core/outbox/index.ts';
import { sweepOutbox } from '#core/outbox/dispatch.ts';
import { reconcileWorkflows } from '#core/outbox/reconcile.ts';
import { createPool } from '#db/pool.ts';
import { temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { databases } from '#test/support/keeper-databases.ts';
import { ownServer } from '#test/engine/own-server.ts';
import { testCtx } from '#test/support/verbs.ts';
import { percentile } from './load.ts';

const [waits, runs, trials] = [2, 3, 4].map((at, n) => Number(process.argv[at] ?? [1_000, 100, 5][n]));
const NOTICED_MS = 60_000;
const all = (waits ?? 0) + (runs ?? 0);
const owners = { humanWait: startAgain, runSkill: startAgain };

const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
// PostgreSQL runs as a user of its own where we are root: it must be able to pass.
await chmod(dir, 0o711);
const cluster = databases(dir);
const server = await ownServer(await mkdtemp(join(dir, 'temporal-')));
const db = createPool({ connectionString: (await cluster.create()).url, max: 16 });
const workflows = temporalWorkflows(server);
const ctx = testCtx(db, { actor: { kind: 'platform', service: 'bench' }, workflows });
try {
  print('filled in', seconds(await timed(fill)));
  const { everyMs = 20_000 } = outboxLoops(owners).find(({ name }) => name === 'reconcile') ?? {};
  const quiet: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    await later();
    quiet.push(await timed(() => reconcileWorkflows(ctx, owners)));
  }
  print(`a round over ${all} open workflows`, `p50 ${ms(percentile(quiet, 50))}, p95 ${ms(percentile(quiet, 95))}`);
  const noticed: number[] = [];
  for (let n = 0; n < (trials ?? 1); n += 1) {
    // Somewhere between two rounds.
    const victim = await db('open_workflows').orderByRaw('random()').first('workflow_id');
    await workflows.client.workflow.getHandle(victim?.workflow_id ?? '').terminate('bench');
    const since = performance.now();
    await delay(everyMs * Math.random());
    while (!(await reconcileWorkflows(ctx, owners)).includes(victim?.workflow_id ?? '')) await delay(everyMs);
    noticed.push(performance.now() - since);
  }
  const worst = Math.max(...noticed);
  print(`a terminated one noticed, a round every ${everyMs / 1_000} s`, `p50 ${seconds(percentile(noticed, 50))}, worst ${seconds(worst)}`, worst < NOTICED_MS);
  await server.empty();
  await db('open_workflows').update({ started_at: db.raw(`now() - interval '2 minutes'`), looked_at: null });
  const emptied = await timed(async () => {
    for (let again = 0; again < all;) again += (await reconcileWorkflows(ctx, owners)).length;
  });
  print('an emptied server: everything found', seconds(emptied));
  const restarted = await timed(allSent);
  print('and started again', `${seconds(restarted)} more`);
} finally {
  await workflows.close();
  await db.destroy();
  await Promise.all([cluster.stop(), server.close()]);
  await rm(dir, { recursive: true, force: true });
}

/** They began an hour ago; no worker takes them, so they stay. */
async function fill(): Promise<void> {
  const of = (type: string, count = 0) => Array.from({ length: count }, () => ({ type, workflow_id: `${type}:${newId('req')}` }));
  const rows = [...of('humanWait', waits), ...of('runSkill', runs)];
  const message = JSON.stringify({ taskQueue: 'control', args: [{}], searchAttributes: { SvcKind: 'wait', SvcOwner: 'platform' } });
  const past = new Date(Date.now() - 3_600_000);
  for (let from = 0; from < rows.length; from += 500) {
    const some = rows.slice(from, from + 500);
    await db('open_workflows').insert(some.map((row) => ({ ...row, message, started_at: past })));
    await db('outbox').insert(some.map(({ workflow_id, type }) => ({ outbox_id: newId('out'), kind: 'start' as const, workflow_id, name: type, message, request_id: 'req', created_at: past, due_at: past }))); // prettier-ignore
  }
  await allSent();
}

async function allSent(): Promise<void> {
  do await Promise.all(Array.from({ length: 8 }, () => sweepOutbox(ctx, 100)));
  while (await db('outbox').whereNull('sent_at').first('outbox_id'));
}

/** As if a round was over long ago. */
async function later(): Promise<void> {
  await db('open_workflows').update({ looked_at: db.raw(`looked_at - interval '20 seconds'`) });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`;
}
function seconds(value: number): string {
  return `${(value / 1_000).toFixed(1)} s`;
}
function print(what: string, value: string, met?: boolean): void {
  process.stdout.write(`${what.padEnd(60)} ${value}${met === undefined ? '' : met ? '  (met)' : '  (missed)'}\n`);
  if (met === false) process.exitCode = 1;
}
