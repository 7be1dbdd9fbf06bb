import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { verifies } from '#test/spec/verifies.ts';
import { newId } from '../kernel/ids.ts';
import { createJob } from '../jobs/create.ts';
import { inTx } from '../kernel/tx.ts';
import { appendThreadEvent, appendThreadEvents } from './append.ts';
import { createThread } from './create.ts';
import { deleteThread } from './delete.ts';
import { listThreads } from './list.ts';
import { followThread, listMessages, listThreadActivity } from './read.ts';
import { updateThread } from './update.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

const begin = async (as = ada): Promise<string> => (await createThread(as, { handoffs: 'ask_foreign' })).thread_id;
const say = (thread_id: string, text: string) =>
  appendThreadEvent(t.ctx.db, thread_id, 'message', { message_id: newId('msg'), role: 'user', text, turn_id: newId('trn') });

describe('threads', () => {
  verifies(['chatThreads.create', 'chatThreads.list'], 'the one last spoken in first, page by page, without those put away', async () => {
    const cleo = await t.user('cleo');
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await begin(cleo));
    const [first = ''] = ids;
    await t.ctx
      .db('threads')
      .where({ thread_id: first })
      .update({ touched_at: t.ctx.db.raw('now()') });
    await updateThread(cleo, { thread_id: ids[1] ?? '', archived: true });
    const one = await listThreads(cleo, { limit: 3, archived: false });
    const two = await listThreads(cleo, { limit: 3, archived: false, cursor: one.next_cursor ?? '' });
    expect([...one.items, ...two.items].map((row) => row.thread_id)).toEqual([first, ids[4], ids[3], ids[2]]);
    expect(two.next_cursor).toBeNull();
    expect((await listThreads(cleo, { limit: 3, archived: true })).items).toMatchObject([{ thread_id: ids[1], archived: true }]);
  });

  verifies('chatThreads.update', 'changes what is named and nothing else; taken back, it is there again', async () => {
    const thread_id = await begin();
    expect(await updateThread(ada, { thread_id, title: 'Trips', handoffs: 'never' })).toMatchObject({ title: 'Trips', handoffs: 'never', archived: false });
    expect(await updateThread(ada, { thread_id, archived: true })).toMatchObject({ title: 'Trips', handoffs: 'never', archived: true });
    expect(await updateThread(ada, { thread_id, archived: false })).toMatchObject({ archived: false });
    expect(await updateThread(ada, { thread_id })).toMatchObject({ title: 'Trips' });
  });

  verifies('chatThreads.delete', 'its events go, and what goes on in it is cancelled', async () => {
    const thread_id = await begin();
    await say(thread_id, 'hello');
    const job_id = await inTx(ada, (ctx) => createJob(ctx, { kind: 'run', title: 'x', ownerId: ada.actor.user_id, threadId: thread_id }));
    const reading = followThread(ada, { thread_id, after: 1, signal: AbortSignal.timeout(20_000) });
    await deleteThread(ada, { thread_id });
    expect(await t.ctx.db('jobs').where({ job_id }).first()).toMatchObject({ state: 'cancelled' });
    expect(await t.ctx.db('thread_events').where({ thread_id })).toEqual([]);
    await expect(listMessages(ada, { thread_id, limit: 10 })).rejects.toMatchObject({ code: 'thread_not_found' });
    // Who reads it meanwhile is not kept waiting, and who writes is told that there is nobody.
    expect(await say(thread_id, 'too late')).toBeUndefined();
    for await (const event of await reading) throw new Error(`unexpected ${event.kind}`);
  });

  test("somebody else's thread does not exist", async () => {
    const thread_id = await begin();
    const none = { code: 'thread_not_found', name: 'NotFound' };
    await expect(updateThread(ben, { thread_id, title: 'mine' })).rejects.toMatchObject(none);
    await expect(deleteThread(ben, { thread_id })).rejects.toMatchObject(none);
    await expect(listMessages(ben, { thread_id, limit: 1 })).rejects.toMatchObject(none);
    await expect(listThreadActivity(ben, { thread_id, after: 0, limit: 1 })).rejects.toMatchObject(none);
    await expect(followThread(ben, { thread_id, after: 0, signal: AbortSignal.abort() })).rejects.toMatchObject(none);
    await expect(updateThread(ada, { thread_id: `thr_${randomUUID()}` })).rejects.toMatchObject(none);
  });
});

describe('events', () => {
  verifies('chatThreads.activity', '10 000 events of many writers, read by one who goes and comes again: none twice, none missing', async () => {
    const thread_id = await begin();
    const total = 10_000;
    const writers = 8;
    const batch = 25;
    const writing = Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let n = 0; n < total / writers; n += batch) {
          const events = Array.from({ length: batch }, (_unused, at) => ({ kind: 'run.progress', payload: { writer, n: n + at } }));
          await inTx(t.ctx, async (ctx) => void (await appendThreadEvents(ctx.db, thread_id, events)));
        }
      }),
    );
    const seen: number[] = [];
    const perWriter = Array.from({ length: writers }, () => 0);
    while (seen.length < total) {
      const visit = new AbortController();
      const leaveAt = seen.length + 700;
      for await (const event of await followThread(ada, { thread_id, after: seen.at(-1) ?? 0, signal: visit.signal })) {
        seen.push(event.seq);
        const writer = Number(event.payload.writer);
        expect(event.payload.n).toBe(perWriter[writer]);
        perWriter[writer] = Number(event.payload.n) + 1;
        if (seen.length >= leaveAt || seen.length >= total) break;
      }
    }
    await writing;
    expect(seen).toEqual(Array.from({ length: total }, (_, at) => at + 1));
    const tail = await listThreadActivity(ada, { thread_id, after: total - 3, limit: 10 });
    expect([tail.items.map(({ seq }) => seq), tail.last_seq]).toEqual([[total - 2, total - 1, total], total]);
  });

  test('of a transaction that is taken back leave no gap', async () => {
    const thread_id = await begin();
    await say(thread_id, 'one');
    await inTx(t.ctx, async (ctx) => {
      await appendThreadEvent(ctx.db, thread_id, 'message', { text: 'never' });
      throw new Error('undo');
    }).catch(() => undefined);
    expect(await say(thread_id, 'two')).toBe(2);
  });

  test('hold texts that PostgreSQL does not: they are mended, not lost', async () => {
    const thread_id = await begin();
    await say(thread_id, 'nul \0 and half \ud800');
    expect((await listMessages(ada, { thread_id, limit: 1 })).items[0]?.text).toBe('nul \ufffd and half \ufffd');
  });

  verifies('chatThreads.messages', 'what was said, newest first, page by page', async () => {
    const thread_id = await begin();
    for (const text of ['a', 'b', 'c']) {
      await say(thread_id, text);
      await appendThreadEvent(t.ctx.db, thread_id, 'turn.ended', {});
    }
    const one = await listMessages(ada, { thread_id, limit: 2 });
    const two = await listMessages(ada, { thread_id, limit: 2, cursor: one.next_cursor ?? '' });
    expect([...one.items, ...two.items].map(({ text, seq }) => [text, seq])).toEqual([
      ['c', 5],
      ['b', 3],
      ['a', 1],
    ]);
  });
});
