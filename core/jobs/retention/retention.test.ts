// Moving events into archives loses nothing, whatever happens in the middle of it.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { appendEvents } from '../append-event.ts';
import { createJob } from '../create.ts';
import { transitionJob } from '../transition.ts';
import { inTx } from '../../kernel/tx.ts';
import { followJob, getJob, listJobEvents } from '../../runs/job/read.ts';
import { archiveJob, archiveJobs, removeArchives } from './archive.ts';
import { archiveKey } from './lines.ts';
import { followJobEvents } from './read.ts';

let t: TestContext;
let ada: TestUser;
beforeAll(async () => {
  t = await testContext();
  ada = await t.user('ada');
});
afterAll(() => t.close());

const job = async ({ ended = 40, events = 3 }: { ended?: number | null; events?: number } = {}): Promise<string> => {
  const job_id = await inTx(ada, (ctx) => createJob(ctx, { kind: 'run', title: 'Run', ownerId: ada.actor.user_id }));
  await appendEvents(
    t.ctx.db,
    job_id,
    Array.from({ length: events }, (_, n) => ({ kind: 'run.text_delta', payload: { n, text: `ä \u{1f600} line\nbreak \u2028 ${n}` } })),
  );
  if (ended === null) return job_id;
  await transitionJob(t.ctx.db, job_id, { from: ['queued'], to: 'succeeded', output: { result: 1 } });
  await t.ctx
    .db('jobs')
    .where({ job_id })
    .update({ ended_at: new Date(Date.now() - ended * 86_400_000).toISOString() });
  return job_id;
};
const list = (job_id: string, after = 0, limit = 1000) => listJobEvents(ada, { job_id, after, limit });
const stream = async (job_id: string, after = 0) => Array.fromAsync(await followJob(ada, { job_id, after, signal: AbortSignal.timeout(20_000) }));
const rows = async (job_id: string): Promise<number> => (await t.ctx.db('job_events').where({ job_id })).length;
const archive = (ctx: Ctx = t.ctx) => archiveJobs(ctx, { days: 30, limit: 100 });
const remove = (ctx: Ctx = t.ctx) => removeArchives(ctx, { days: 365, limit: 100 });
const withStorage = (more: Partial<Ctx['drivers']['storage']>): Ctx => ({
  ...t.ctx,
  drivers: { ...t.ctx.drivers, storage: { ...t.ctx.drivers.storage, ...more } },
});

test('events of jobs that ended long ago move; lists and streams read on as if nothing had happened', async () => {
  const [old, young, open] = [await job({ events: 1200 }), await job({ ended: 29 }), await job({ ended: null })];
  const before = [await list(old), await list(old, 1000), await stream(old)];
  expect(await archive()).toEqual({ done: 1, failed: 0 });
  expect([await rows(old), await rows(young), await rows(open)]).toEqual([0, 5, 4]);
  expect([await list(old), await list(old, 1000), await stream(old)]).toEqual(before);
  expect((await list(old, 10, 5)).items.map(({ seq }) => seq)).toEqual([11, 12, 13, 14, 15]);
  expect((await stream(old, 1200)).map(({ seq }) => seq)).toEqual([1201, 1202]);
  expect(await list(old, 1202)).toEqual({ items: [], last_seq: 1202 });
  expect(await getJob(ada, { job_id: old })).toMatchObject({ events: 'archived', output: { result: 1 } });
  expect(await getJob(ada, { job_id: young })).toMatchObject({ events: 'kept' });
  expect(await archive(), 'again: nothing to do').toEqual({ done: 0, failed: 0 });
  const kept = await t.ctx.db('job_archives').where({ job_id: old }).first();
  expect(kept).toMatchObject({ events: 1202, removed_at: null });
  expect(await t.ctx.drivers.storage.size(archiveKey(old))).toBe(kept?.size_bytes);
});

test('killed between the archive and its row: the events are still there, and the next pass moves them', async () => {
  const job_id = await job();
  const before = await list(job_id);
  const dying = withStorage({
    put: async (key, body) => {
      await t.ctx.drivers.storage.put(key, body);
      throw new Error('killed');
    },
  });
  await expect(archive(dying)).rejects.toThrow('killed');
  expect(await t.ctx.drivers.storage.exists(archiveKey(job_id))).toBe(true);
  expect(await list(job_id)).toEqual(before);
  expect(await rows(job_id)).toBe(5);
  expect(await archive()).toEqual({ done: 1, failed: 0 });
  expect(await list(job_id)).toEqual(before);
});

test('a job that cannot be archived holds up no other; when none can, it is an error', async () => {
  const [bad, good] = [await job({ ended: 60 }), await job()];
  const picky = withStorage({
    put: async (key, body) => {
      if (key !== archiveKey(bad)) return t.ctx.drivers.storage.put(key, body);
      body.destroy();
      throw new Error('disk full');
    },
  });
  expect(await archive(picky)).toEqual({ done: 1, failed: 1 });
  expect([await rows(bad), await rows(good)]).toEqual([5, 0]);
  await expect(archive(picky)).rejects.toThrow('disk full');
  expect(await archive()).toEqual({ done: 1, failed: 0 });
});

test('two passes at once archive once; what is still written to is not touched', async () => {
  const job_id = await job();
  const before = await stream(job_id);
  const moved = await Promise.allSettled(Array.from({ length: 5 }, () => archiveJob(t.ctx, job_id)));
  expect(moved.filter((outcome) => outcome.status === 'fulfilled' && outcome.value)).toHaveLength(1);
  expect(moved.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(await stream(job_id)).toEqual(before);
  const late = await job();
  const slow = withStorage({
    put: async (key, body) => {
      const stored = await t.ctx.drivers.storage.put(key, body);
      // As code of an older release would.
      await t.ctx.db('jobs').where({ job_id: late }).increment('last_seq', 1);
      await t.ctx.db('job_events').insert({ job_id: late, seq: 6, kind: 'job.note', payload: '{}' });
      return stored;
    },
  });
  expect(await archiveJob(slow, late)).toBe(false);
  expect(await rows(late)).toBe(6);
});

test('a reader in the middle of a stream is not left behind when its events move', async () => {
  const job_id = await job({ events: 1500 });
  const seen: number[] = [];
  for await (const { seq } of followJobEvents(t.ctx, job_id, 0, AbortSignal.timeout(20_000))) {
    seen.push(seq);
    if (seq === 100) expect(await archiveJob(t.ctx, job_id)).toBe(true);
  }
  expect(seen).toEqual(Array.from({ length: 1502 }, (_, n) => n + 1));
});

test('a year later the archive goes, also when the first try died half-way; the job stays and says so', async () => {
  const job_id = await job({ ended: 400 });
  await archive();
  expect(await stream(job_id)).toHaveLength(5);
  const dying = withStorage({ delete: async () => Promise.reject(new Error('killed')) });
  await expect(remove(dying)).rejects.toThrow('killed');
  expect(await getJob(ada, { job_id })).toMatchObject({ events: 'removed' });
  expect(await remove()).toEqual({ done: 1, failed: 0 });
  expect(await t.ctx.drivers.storage.exists(archiveKey(job_id))).toBe(false);
  expect(await getJob(ada, { job_id })).toMatchObject({ events: 'removed', state: 'succeeded', output: { result: 1 }, last_seq: 5 });
  expect(await stream(job_id)).toEqual([]);
  expect((await list(job_id)).items).toEqual([]);
  expect(await remove()).toEqual({ done: 0, failed: 0 });
});

test('an archive that is damaged is an error to its reader, never an end that looks like one', async () => {
  const job_id = await job({ events: 500 });
  await archiveJob(t.ctx, job_id);
  const bytes = await buffer(await t.ctx.drivers.storage.get(archiveKey(job_id)));
  await t.ctx.drivers.storage.put(archiveKey(job_id), Readable.from([bytes.subarray(0, 300)]));
  await expect(list(job_id)).rejects.toThrow();
  await t.ctx.drivers.storage.delete(archiveKey(job_id));
  await expect(list(job_id)).rejects.toMatchObject({ code: 'ENOENT' });
});
