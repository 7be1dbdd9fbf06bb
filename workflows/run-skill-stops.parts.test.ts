// Runs that are cancelled while their agent cannot be spoken to, and runs whose API or worker is asked to
// stop.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { RunActor } from '#core/kernel/ctx.ts';
import { actorOfRun } from '#core/runs/run/model.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { durableRuns, whole, within } from '#test/support/durable/runs.ts';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';

let w: DurableWorld;
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

const { start, show, becomes, receipts, noted, answer, follow, events, invoke, cancel } = durableRuns(() => w);

async function actorOf(run_id: string): Promise<RunActor> {
  const row = await w.t.ctx.db('runs').where({ run_id }).first();
  if (!row) throw new Error(`there is no run ${run_id}`);
  return actorOfRun(row, { owner_id: w.ada.actor.user_id });
}

interface Family {
  run_id: string;
  job_id: string | null;
  child_id: string;
  grant_id: string;
}

/** A run that waits for a person, holds a grant and has begun a run of its own, which waits too. */
async function family(): Promise<Family> {
  const { run_id, job_id } = await start('ask', { times: 2 });
  await becomes(run_id, { state: 'waiting' });
  const { user_id } = w.ada.actor;
  const { grant } = await inTx(w.ada, (ctx) =>
    mintGrant(ctx, {
      userId: user_id,
      audience: w.agent.name,
      allow: ['**'],
      deny: [],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 600,
      runId: run_id,
    }),
  );
  const token = await mintRunCredential(w.t.ctx.drivers.vault, await actorOf(run_id), Date.now() + 60_000);
  // An agent may not call itself: the chain of the child is another skill's.
  const begun = await fetch(`${w.url}/v1/agents/${w.agent.name}/api/runs/when/start`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ times: 1 }),
  });
  const child = (await begun.json()) as { run_id: string };
  expect([begun.status, child]).toEqual([202, expect.objectContaining({ run_id: expect.stringMatching(/^run_/) })]);
  await becomes(child.run_id, { state: 'waiting' });
  return { run_id, job_id, child_id: child.run_id, grant_id: grant.grant_id };
}

/** `code`: `cancelled`, or the skill's own word where it was told. */
async function isOver({ run_id, child_id, grant_id }: Family, code = 'cancelled'): Promise<void> {
  for (const id of [run_id, child_id]) {
    await becomes(id, { state: 'cancelled', error: { code }, waits: [] });
    expect(await receipts(id)).toBe(1);
    expect((await w.t.ctx.db('waits').where({ run_id: id })).map(({ state }) => state)).toEqual(['cancelled']);
    whole(await follow(id), 0);
    await vi.waitFor(async () => expect(await w.t.ctx.drivers.workflows.describe(`run:${id}`)).toBe('completed'), within);
  }
  expect((await w.t.ctx.db('grants').where({ grant_id }).first())?.revoked_at).not.toBeNull();
}

afterEach(async () => {
  w.resumeAgent();
  if (w.pids().agent === 0) await w.startAgent();
  const { run_id } = await start('add', { a: 1, b: 1 });
  await becomes(run_id, { state: 'succeeded' });
});

test('cancelled when its agent’s process has vanished: nothing of it is left, nor of what it began', async () => {
  const all = await family();
  await w.killAgent();
  await cancel(all.job_id);
  await isOver(all);
});

test('cancelled while its agent does not answer: it is over all the same, and a late answer to anybody changes nothing', async () => {
  const all = await family();
  w.suspendAgent();
  await cancel(all.job_id);
  await isOver(all);
  w.resumeAgent();
  await becomes(all.run_id, { state: 'cancelled' });
  expect(await receipts(all.run_id)).toBe(1);
});

test('cancelled while its machine sleeps: it is woken to be told, and the skill does not hear an answer', async () => {
  const before = await noted('heard 1');
  const all = await family();
  w.suspendAgent({ wakes: true });
  await cancel(all.job_id);
  await isOver(all, 'cancelled_by_caller');
  // It is there again, and has nothing left of the two.
  const { run_id } = await start('add', { a: 2, b: 2 });
  await becomes(run_id, { state: 'succeeded' });
  expect(await noted('heard 1')).toBe(before);
});

test('cancelled while it works and its agent does not answer: the stream that was read has ended, too', async () => {
  const { run_id, job_id } = await start('tell', { times: 10_000, everyMs: 20 });
  const following = follow(run_id);
  await becomes(run_id, { state: 'running', last_seq: expect.any(Number) });
  await vi.waitFor(async () => expect(Number((await show(run_id))['last_seq'])).toBeGreaterThan(10), within);
  w.suspendAgent();
  await cancel(job_id);
  await becomes(run_id, { state: 'cancelled' });
  const seen = await following;
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  expect(seen.at(-1)?.kind).toBe('job.cancelled');
  expect(await receipts(run_id)).toBe(1);
});

test('the API is asked to stop: followers are told to come back and miss nothing, calls under way are answered', async () => {
  const waiting = await start('ask', { times: 1 });
  await becomes(waiting.run_id, { state: 'waiting' });
  const streaming = await start('tell', { times: 300, everyMs: 10 });
  const call = invoke('tell', { times: 40, everyMs: 50 }, { accept: 'application/json' });
  const stream = await invoke('tell', { times: 40, everyMs: 50 }, { accept: 'text/event-stream' });
  const following = [follow(waiting.run_id), follow(streaming.run_id)];
  const raw = await events(streaming.run_id);
  await vi.waitFor(async () => expect(await noted('tell')).toBeGreaterThan(2), within);
  await w.drainApi();
  // It ended in order, having said when to come back.
  const told = await raw.text();
  expect(told).toMatch(/^retry: \d+\n/);
  expect(told).not.toContain('event: job.succeeded');
  const [answered, lines] = [await call, await stream.text()];
  expect([answered.status, await answered.json()]).toEqual([200, { told: 40 }]);
  expect(answered.headers.get('x-svc-receipt-id')).toMatch(/^rcp_/);
  expect(lines).toContain('"told":40');
  expect(lines).toContain('event: receipt');
  await w.startApi();
  await answer(waiting.run_id, 'yes');
  const [one = [], two = []] = await Promise.all(following);
  whole(one, 0);
  whole(two, 300);
  await becomes(waiting.run_id, { state: 'succeeded', result: { answers: ['yes'] } });
  for (const { run_id } of [waiting, streaming]) expect(await receipts(run_id)).toBe(1);
});

test('the worker is asked to stop: runs that wait and runs that tell go on with the next one', async () => {
  const waiting = await start('ask', { times: 2 });
  await becomes(waiting.run_id, { state: 'waiting' });
  const before = await noted('tell');
  const streaming = await start('tell', { times: 900, everyMs: 10 });
  const following = [follow(waiting.run_id), follow(streaming.run_id)];
  await vi.waitFor(async () => expect(Number((await show(streaming.run_id))['last_seq'])).toBeGreaterThan(10), within);
  const leaving = w.drainWorker();
  // It comes while the worker goes.
  const late = answer(waiting.run_id, 'one');
  expect(await leaving).toBe(0);
  await w.startWorker();
  await late;
  await answer(waiting.run_id, 'two');
  const [one = [], two = []] = await Promise.all(following);
  whole(one, 0);
  whole(two, 900);
  await becomes(waiting.run_id, { state: 'succeeded', result: { answers: ['one', 'two'] } });
  for (const { run_id } of [waiting, streaming]) expect(await receipts(run_id)).toBe(1);
  expect(await noted('tell')).toBe(before + 1);
});
