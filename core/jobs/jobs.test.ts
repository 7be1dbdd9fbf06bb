// The spine's promises about jobs and their events, on a real database.
import type { Knex } from 'knex';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { addUser, testCtx, userActor } from '#test/support/verbs.ts';
import { inTx } from '../kernel/tx.ts';
import { appendEvent, appendEvents } from './append-event.ts';
import { createJob, type NewJob } from './create.ts';
import type { JobEvent } from './model.ts';
import { followEvents, readEvents } from './read-events.ts';
import { transitionJob } from './transition.ts';
import { type Listener, startListener } from './wakeups.ts';

let url: string;
let db: Knex;
let wakeups: Listener;
let ctx: Ctx;
let owner: string;
beforeAll(async () => {
  ({ url } = await testDatabase());
  db = createPool({ connectionString: url, max: 20 });
  wakeups = await startListener(url, ['svc_other']);
});
afterAll(async () => {
  await wakeups.close();
  await db.destroy();
});
beforeEach(async () => {
  owner = await addUser(db);
  ctx = testCtx(db, { actor: userActor(owner), wakeups });
});

const job = (more: Partial<NewJob> = {}): Promise<string> => inTx(ctx, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: owner, ...more }));
const seqs = async (jobId: string): Promise<number[]> => (await readEvents(db, jobId, 0, 10_000)).map((e) => e.seq);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

describe('job events', () => {
  it('are numbered without a gap and without a double under concurrent writers', async () => {
    const jobId = await job();
    const numbers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        appendEvents(db, jobId, [
          { kind: 'log', payload: { n } },
          { kind: 'log', payload: { n } },
        ]),
      ),
    );
    expect(await seqs(jobId)).toEqual(upTo(121));
    expect(new Set(numbers).size).toBe(60);
    expect(await db('jobs').where({ job_id: jobId }).first('last_seq')).toEqual({ last_seq: 121 });
  });

  it('leave no gap after a rollback', async () => {
    const jobId = await job();
    await expect(
      db.transaction(async (tx) => {
        await appendEvent(tx, jobId, 'log', {});
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await appendEvent(db, jobId, 'log', {})).toBe(2);
    expect(await seqs(jobId)).toEqual([1, 2]);
  });

  it('keep the order of one call, and take what an agent may say', async () => {
    const jobId = await job({ title: 'a\0b', input: { 'k\0': 'v\0' } });
    await appendEvents(db, jobId, [
      { kind: 'log', payload: { text: 'nul \0, half \ud800, whole \u{1f600}, literal \\u0000' } },
      { kind: 'log', payload: { 'name\0': ['\0'], nested: { deep: '\udc00' } } },
    ]);
    const [, first, second] = await readEvents(db, jobId, 0);
    expect(first?.payload).toEqual({ text: 'nul \ufffd, half \ufffd, whole \u{1f600}, literal \\u0000' });
    expect(second?.payload).toEqual({ 'name\ufffd': ['\ufffd'], nested: { deep: '\ufffd' } });
    expect(await transitionJob(db, jobId, { from: ['queued'], to: 'failed', error: { code: 'x', message: 'said \0' } })).toBe(true);
  });

  it('are never changed', async () => {
    const jobId = await job();
    await expect(db('job_events').where({ job_id: jobId }).update({ kind: 'forged' })).rejects.toThrow(/append-only/);
  });

  it('end with the end of the job: later ones are not written', async () => {
    const jobId = await job();
    await transitionJob(db, jobId, { from: ['queued'], to: 'succeeded' });
    expect(await appendEvent(db, jobId, 'wait.cancelled', {})).toBeUndefined();
    expect((await readEvents(db, jobId, 0)).at(-1)?.kind).toBe('job.succeeded');
    expect(await db('jobs').where({ job_id: jobId }).first('last_seq')).toEqual({ last_seq: 2 });
  });

  it('of no job are not written', async () => {
    expect(await appendEvent(db, 'job_none', 'log', {})).toBeUndefined();
  });
});

describe('transitions', () => {
  it('are won by exactly one of many', async () => {
    const jobId = await job();
    const moves = await Promise.all(Array.from({ length: 20 }, () => transitionJob(db, jobId, { from: ['queued'], to: 'running' })));
    expect(moves.filter(Boolean)).toHaveLength(1);
    expect((await readEvents(db, jobId, 0)).map((e) => e.kind)).toEqual(['job.queued', 'job.running']);
  });

  it('never leave an ended job, and say when it ended', async () => {
    const jobId = await job();
    await transitionJob(db, jobId, { from: ['queued'], to: 'succeeded', output: { answer: 42 } });
    expect(await transitionJob(db, jobId, { from: ['queued', 'running'], to: 'failed' })).toBe(false);
    const row = await db('jobs').where({ job_id: jobId }).first();
    expect(row).toMatchObject({ state: 'succeeded', output: { answer: 42 }, error: null });
    expect(row?.ended_at).toBeInstanceOf(Date);
  });

  it('are one per idempotency key', async () => {
    await job({ idempotencyKey: 'once' });
    await expect(job({ idempotencyKey: 'once' })).rejects.toMatchObject({ constraint: 'jobs_idempotency' });
  });
});

describe('following a job', () => {
  async function collect(jobId: string, after: number, signal = new AbortController().signal, each?: (event: JobEvent) => Promise<void>): Promise<number[]> {
    const seen: number[] = [];
    for await (const event of followEvents(db, wakeups, jobId, after, signal)) {
      seen.push(event.seq);
      await each?.(event);
    }
    return seen;
  }

  it('gives what is there, then what comes, and ends with the last event', async () => {
    const jobId = await job();
    const reading = collect(jobId, 0);
    for (let n = 0; n < 30; n += 1) await appendEvent(db, jobId, 'log', { n });
    await transitionJob(db, jobId, { from: ['queued'], to: 'succeeded' });
    expect(await reading).toEqual(upTo(32));
  });

  it('resumes after any event, also of an ended job, over more than one page', async () => {
    const jobId = await job();
    await appendEvents(
      db,
      jobId,
      Array.from({ length: 1200 }, (_, n) => ({ kind: 'log', payload: { n } })),
    );
    await transitionJob(db, jobId, { from: ['queued'], to: 'failed', error: { code: 'x', message: 'y' } });
    expect(await collect(jobId, 0)).toEqual(upTo(1202));
    expect(await collect(jobId, 1200)).toEqual([1201, 1202]);
    expect(await collect(jobId, 1202)).toEqual([]);
    expect(await collect('job_none', 0)).toEqual([]);
  });

  it('ends when the reader goes, and keeps no listener', async () => {
    const jobId = await job();
    const leave = new AbortController();
    expect(await collect(jobId, 0, leave.signal, async () => leave.abort())).toEqual([1]);
    let watched = 0;
    const counting = {
      accounts: wakeups.accounts,
      watch: (id: string) => {
        const { next, end } = wakeups.watch(id);
        watched += 1;
        return { next, end: () => ((watched -= 1), end()) };
      },
    };
    for await (const event of followEvents(db, counting, jobId, 0, new AbortController().signal)) {
      expect(event.seq).toBe(1);
      break;
    }
    expect(watched).toBe(0);
  });
});

describe('the listener', () => {
  it('reconnects, and tells everybody that something may have been missed', async () => {
    const listener = await startListener(url, ['svc_other']);
    const heard: (string | undefined)[] = [];
    listener.on('svc_other', (payload) => heard.push(payload));
    await db.raw(`select pg_notify('svc_other', 'before')`);
    await expect.poll(() => heard).toEqual(['before']);
    const jobId = await job();
    const watch = listener.watch(jobId);
    const woken = watch.next(60_000);
    await db.raw(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc-listen' and datname = current_database()`);
    await woken;
    watch.end();
    await expect.poll(() => heard).toContain(undefined);
    await expect
      .poll(async () => {
        await db.raw(`select pg_notify('svc_other', 'after')`);
        return heard.at(-1);
      })
      .toBe('after');
    await listener.close();
    await expect.poll(async () => listeners()).toBe(1);
  });

  it('says so when it cannot begin, and leaves no connection', async () => {
    await expect(startListener(url, ['not a channel'])).rejects.toThrow(pg.DatabaseError);
    await expect.poll(async () => listeners()).toBe(1);
  });

  async function listeners(): Promise<number> {
    const { rows } = await db.raw<{ rows: { n: number }[] }>(
      `select count(*)::int as n from pg_stat_activity where application_name = 'svc-listen' and datname = current_database()`,
    );
    return rows[0]?.n ?? 0;
  }
});
