import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import type { WorkflowStarter } from '#drivers/workflows/port.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { createJob, type NewJob } from '../../jobs/create.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { addUser, testCtx, userActor } from '#test/support/verbs.ts';
import { inTx } from '../../kernel/tx.ts';
import { listActivity } from './activity.ts';
import { cancelJob } from './cancel.ts';
import { followJob, getJob, listJobEvents } from './read.ts';

let db: Knex;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url, max: 20 })));
afterAll(() => db.destroy());
let ada: Ctx;
let ben: Ctx;
/** Temporal is down: what must be sent stays in the outbox. */
const workflows = { cancel: async () => Promise.reject(new Error('down')) } satisfies Partial<WorkflowStarter>;
beforeEach(async () => {
  const as = async (): Promise<Ctx> => testCtx(db, { actor: userActor(await addUser(db)), workflows: { ...unused, ...workflows } });
  [ada, ben] = [await as(), await as()];
});
const unexpected = async (): Promise<never> => Promise.reject(new Error('not used'));
const unused: WorkflowStarter = {
  start: unexpected,
  signal: unexpected,
  update: unexpected,
  cancel: unexpected,
  describe: unexpected,
  brokenSince: unexpected,
  ping: unexpected,
  queue: unexpected,
  forget: unexpected,
};

const ownerOf = (ctx: Ctx): string => (ctx.actor.kind === 'user' ? ctx.actor.user_id : '');
const job = (ctx: Ctx, more: Partial<NewJob> = {}): Promise<string> =>
  inTx(ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: ownerOf(ctx), ...more }));

describe('activity', () => {
  it("is the account's own, newest first, in pages that lose and repeat nothing", async () => {
    const mine: string[] = [];
    for (let n = 0; n < 7; n += 1) mine.push(await job(ada));
    await job(ben);
    // Three of them in one microsecond, two in another of the same millisecond.
    await db('jobs').whereIn('job_id', mine.slice(0, 3)).update({ created_at: '2026-01-01T00:00:00.123400Z' });
    await db('jobs').whereIn('job_id', mine.slice(3, 5)).update({ created_at: '2026-01-01T00:00:00.123456Z' });
    const expected = (
      await db('jobs')
        .where({ owner_id: ownerOf(ada) })
        .orderByRaw('created_at desc, job_id desc')
    ).map((row) => row.job_id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listActivity(ada, { limit: 2, cursor });
      seen.push(...page.items.map((item) => item.job_id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(expected);
  });

  it('is filtered by kind, state and agent', async () => {
    const deploy = await job(ada, { kind: 'deploy', agent: { id: 'agt_1', name: 'text-kit' } });
    const run = await job(ada);
    await transitionJob(db, run, { from: ['queued'], to: 'failed', error: { code: 'x', message: 'y' } });
    const ids = async (filter: object) => (await listActivity(ada, { limit: 10, ...filter })).items.map((item) => item.job_id);
    expect(await ids({ kind: 'deploy' })).toEqual([deploy]);
    expect(await ids({ state: 'failed' })).toEqual([run]);
    expect(await ids({ agent: 'text-kit' })).toEqual([deploy]);
    expect(await ids({ kind: 'deploy', state: 'failed' })).toEqual([]);
  });
});

describe('one job', () => {
  it('shows its facts and its events', async () => {
    const jobId = await job(ada, { input: { n: 1 } });
    await appendEvent(db, jobId, 'log', { text: 'hello' });
    await transitionJob(db, jobId, { from: ['queued'], to: 'failed', error: { code: 'x', message: 'y' } });
    expect(await getJob(ada, { job_id: jobId })).toMatchObject({
      job_id: jobId,
      state: 'failed',
      input: { n: 1 },
      output: null,
      error: { code: 'x', message: 'y' },
      last_seq: 3,
    });
    const { items, last_seq } = await listJobEvents(ada, { job_id: jobId, after: 1, limit: 1 });
    expect(items).toMatchObject([{ job_id: jobId, seq: 2, kind: 'log', payload: { text: 'hello' } }]);
    expect(last_seq).toBe(3);
  });

  it('of another account does not exist', async () => {
    const jobId = await job(ada);
    const missing = { code: 'job_not_found' };
    await expect(getJob(ben, { job_id: jobId })).rejects.toMatchObject(missing);
    await expect(cancelJob(ben, { job_id: jobId })).rejects.toMatchObject(missing);
    await expect(listJobEvents(ben, { job_id: jobId, after: 0, limit: 10 })).rejects.toMatchObject(missing);
    await expect(followJob(ben, { job_id: jobId, after: 0, signal: AbortSignal.abort() })).rejects.toMatchObject(missing);
  });
});

describe('cancelling', () => {
  const outbox = (workflowId: string) => db('outbox').where({ workflow_id: workflowId }).select('kind');

  it('asks the workflow, once, with the audit row in the same transaction', async () => {
    const jobId = await job(ada, { workflowId: 'deploy:1', kind: 'deploy' });
    expect(await cancelJob(ada, { job_id: jobId })).toMatchObject({ state: 'queued', last_seq: 2 });
    await cancelJob(ada, { job_id: jobId });
    expect(await outbox('deploy:1')).toEqual([{ kind: 'cancel' }]);
    expect(await db('audit_log').where({ action: 'job.cancel', target_id: jobId })).toHaveLength(1);
    expect((await listJobEvents(ada, { job_id: jobId, after: 0, limit: 10 })).items.map((e) => e.kind)).toEqual(['job.queued', 'job.cancel_requested']);
  });

  it('ends what has no workflow at once', async () => {
    const jobId = await job(ada);
    expect(await cancelJob(ada, { job_id: jobId })).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' } });
    await expect(cancelJob(ada, { job_id: jobId })).rejects.toMatchObject({ code: 'job_ended' });
  });

  it('of an ended job says so and changes nothing', async () => {
    const jobId = await job(ada, { workflowId: 'deploy:2' });
    await transitionJob(db, jobId, { from: ['queued'], to: 'succeeded' });
    await expect(cancelJob(ada, { job_id: jobId })).rejects.toMatchObject({ code: 'job_ended', details: { state: 'succeeded' } });
    expect(await outbox('deploy:2')).toEqual([]);
  });

  it('races its own end: whichever comes first, the job ends once and the answer is true', async () => {
    for (let n = 0; n < 10; n += 1) {
      const jobId = await job(ada, { workflowId: `race:${n}` });
      const [ended, cancelled] = await Promise.allSettled([transitionJob(db, jobId, { from: ['queued'], to: 'succeeded' }), cancelJob(ada, { job_id: jobId })]);
      expect(ended).toMatchObject({ value: true });
      if (cancelled.status === 'rejected') expect(cancelled.reason).toMatchObject({ code: 'job_ended' });
      expect(await outbox(`race:${n}`)).toHaveLength(cancelled.status === 'fulfilled' ? 1 : 0);
    }
  });

  it('asked twenty times at once asks once', async () => {
    const jobId = await job(ada, { workflowId: 'deploy:3' });
    await Promise.all(Array.from({ length: 20 }, () => cancelJob(ada, { job_id: jobId })));
    expect(await outbox('deploy:3')).toHaveLength(1);
  });
});
