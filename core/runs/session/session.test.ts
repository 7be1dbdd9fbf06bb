// Sessions on a real database: from the first line to the signature, live, resumed, archived, and when their
// time is over.
import { verifyAsync } from '@noble/ed25519';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SessionLine, verifySession } from '#contract/wire/session.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { publishedKeys } from '../../evidence/receipt/published-keys.ts';
import { appendEvents } from '../../jobs/append-event.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { inTx } from '../../kernel/tx.ts';
import { archiveJob } from '../../jobs/retention/archive.ts';
import { endDurableRun } from '../durable/end.ts';
import { succeeded } from '../run/outcome.ts';
import { startRun } from '../durable/start.ts';
import { listSessions } from './list.ts';
import { followSession } from './read.ts';
import { startSession } from './start.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
  agent = await liveAgent(t.ctx, ada.actor.user_id, { visibility: 'public' });
});
afterAll(() => t.close());

const start = (ctx: TestUser = ada, more: object = {}) => startSession(ctx, { name: agent.name, skill: 'greet', args: { name: 'Ada' }, ...more });
type Session = Awaited<ReturnType<typeof start>>;
const say = (jobId: string, ...payloads: Record<string, unknown>[]) =>
  appendEvents(
    t.ctx.db,
    jobId,
    payloads.map((payload) => ({ kind: 'run.progress', payload })),
  );
const finish = async ({ run_id, job_id }: Session): Promise<void> => {
  await transitionJob(t.ctx.db, job_id, { from: ['queued'], to: 'running' });
  expect(await endDurableRun(t.ctx, run_id, succeeded({ hello: 'Ada' }))).toBe(true);
};
const read = async (session: Session, { after = 0, signal = AbortSignal.timeout(20_000), ctx = ada } = {}): Promise<SessionLine[]> =>
  Array.fromAsync(await followSession(ctx, { session_id: session.session_id, after, signal }));
const text = (lines: readonly SessionLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const verify = async (lines: readonly SessionLine[]) => {
  const { keys } = await publishedKeys(t.ctx);
  const keyOf = (kid: string): Uint8Array | undefined => {
    const key = keys.find((each) => each.kid === kid);
    return key && new Uint8Array(Buffer.from(key.public_key, 'base64'));
  };
  return verifySession(text(lines), keyOf, verifyAsync);
};
const seqs = (lines: readonly SessionLine[]): number[] => lines.flatMap((line) => (line.type === 'event' ? [line.seq] : []));

test('a session is followed while it goes on, and its log verifies with the published keys only', async () => {
  const session = await start();
  expect(session).toMatchObject({ agent: agent.name, version: '1.0.0', skill: 'greet', state: 'queued', sealed: false, ended_at: null });
  const reading = read(session);
  await say(session.job_id, { message: 'one' }, { message: 'two' });
  await finish(session);
  const lines = await reading;
  const { header, events, seal } = await verify(lines);
  expect(header).toMatchObject({ session_id: session.session_id, run_id: session.run_id, skill: 'greet' });
  expect(events.map(({ kind }) => kind)).toEqual(['job.queued', 'run.progress', 'run.progress', 'job.running', 'job.succeeded']);
  const receipt = await t.ctx.db('receipts').where({ run_id: session.run_id }).first();
  expect(seal).toMatchObject({ state: 'succeeded', receipt_id: receipt?.receipt_id });
  expect(header.input_sha256).toBe(JSON.parse(JSON.stringify(receipt?.payload)).input_sha256);
  expect(await read(session), 'the same for ever, signature and all').toEqual(lines);
  expect((await listSessions(ada, { name: agent.name, limit: 1 })).items).toMatchObject([{ session_id: session.session_id, sealed: true, state: 'succeeded' }]);
});

test('a reader that comes back asks for what follows; its parts together are the whole', async () => {
  const session = await start();
  await say(session.job_id, ...Array.from({ length: 1200 }, (_, n) => ({ n })));
  const leave = new AbortController();
  const first: SessionLine[] = [];
  for await (const line of await followSession(ada, { session_id: session.session_id, after: 0, signal: leave.signal })) {
    first.push(line);
    if (line.type === 'event' && line.seq === 700) leave.abort();
    if (first.length >= 701) break;
  }
  await finish(session);
  const [again, ...rest] = await read(session, { after: 700 });
  expect(again).toEqual(first[0]);
  expect(seqs(rest)[0]).toBe(701);
  await verify([...first, ...rest]);
});

test('many who read the end at once get one and the same seal', async () => {
  const session = await start();
  await finish(session);
  const logs = await Promise.all(Array.from({ length: 8 }, () => read(session)));
  expect(logs).toEqual(logs.map(() => logs[0]));
  expect(new Set(logs.map(text)).size).toBe(1);
});

test('what an agent says cannot break its log: values that have no canonical form are left out, and said to be', async () => {
  const session = await start();
  let deep: Record<string, unknown> = {};
  for (let n = 0; n < 400; n += 1) deep = { deep };
  await say(session.job_id, deep, { text: 'lone \ud800' });
  await finish(session);
  const { events } = await verify(await read(session));
  expect(events[1]?.payload).toEqual({ omitted: expect.stringMatching(/nested deeper/) });
});

test('archived, it reads and verifies as before; once its events are gone, it says so', async () => {
  const session = await start();
  await say(session.job_id, { message: 'one' });
  await finish(session);
  const before = await read(session);
  expect(await archiveJob(t.ctx, session.job_id)).toBe(true);
  expect(await read(session)).toEqual(before);
  expect(seqs(await read(session, { after: 2 }))).toEqual([3, 4]);
  await t.ctx.db('jobs').where({ job_id: session.job_id }).update({ events_state: 'removed' });
  await expect(read(session)).rejects.toMatchObject({ name: 'Gone', code: 'session_events_removed' });
});

test('one key, one session; sessions are their caller’s only, the agent’s owner not excepted', async () => {
  const [one, two] = [await start(ben, { idempotency_key: 'k' }), await start(ben, { idempotency_key: 'k' })];
  expect(two).toEqual(one);
  await expect(read(one, { ctx: ada })).rejects.toMatchObject({ code: 'session_not_found' });
  expect((await listSessions(ben, { name: agent.name, limit: 10 })).items.map((s) => s.session_id)).toEqual([one.session_id]);
  expect((await listSessions(ada, { name: agent.name, limit: 100 })).items.map((s) => s.session_id)).not.toContain(one.session_id);
  const more = [await start(ben), await start(ben)];
  const page = await listSessions(ben, { name: agent.name, limit: 2 });
  expect(page.items.map((s) => s.session_id)).toEqual(more.map((s) => s.session_id).reverse());
  expect((await listSessions(ben, { name: agent.name, limit: 2, cursor: page.next_cursor ?? '' })).items.map((s) => s.session_id)).toEqual([one.session_id]);
  // Unlisted since: only users who had a session with it can see it.
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'unlisted' });
  expect((await listSessions(ben, { name: agent.name, limit: 1 })).items).toHaveLength(1);
  await expect(start(ben)).rejects.toMatchObject({ code: 'agent_not_found' });
  await expect(listSessions(await t.user('eve'), { name: agent.name, limit: 1 })).rejects.toMatchObject({ code: 'agent_not_found' });
});

test('a durable run that was begun otherwise is a session with its events, only for its caller', async () => {
  await t.ctx.db('agents').where({ agent_id: agent.id }).update({ visibility: 'public' });
  const { run_id, job_id } = await inTx(ben, (ctx) => startRun(ctx, { userId: ben.actor.user_id, agent: agent.name, skill: 'greet', args: { name: 'Ben' } }));
  const find = async (as: TestUser) => (await listSessions(as, { name: agent.name, limit: 100 })).items.find((one) => one.run_id === run_id);
  expect(await find(ben), 'once it has ended').toBeUndefined();
  await say(job_id, { message: 'one' });
  await transitionJob(t.ctx.db, job_id, { from: ['queued'], to: 'running' });
  expect(await endDurableRun(t.ctx, run_id, succeeded({ hello: 'Ben' }))).toBe(true);
  const listed = await find(ben);
  expect(listed).toMatchObject({ job_id, state: 'succeeded', last_seq: 4, sealed: true });
  const of = (as: TestUser, after = 0) => followSession(as, { session_id: listed?.session_id ?? '', after, signal: AbortSignal.timeout(20_000) });
  const lines = await Array.fromAsync(await of(ben));
  const { events, seal } = await verify(lines);
  expect(events.map(({ kind }) => kind)).toEqual(['job.queued', 'run.progress', 'job.running', 'job.succeeded']);
  expect(seal).toMatchObject({ events: 4, state: 'succeeded' });
  expect(seqs(await Array.fromAsync(await of(ben, 3)))).toEqual([4]);
  expect(await find(ada), 'its owner has the receipt').toBeUndefined();
  await expect(of(ada)).rejects.toMatchObject({ code: 'session_not_found' });
  await t.ctx.db('jobs').where({ job_id }).update({ events_state: 'removed' });
  await expect(of(ben)).rejects.toMatchObject({ code: 'session_events_removed' });
});
