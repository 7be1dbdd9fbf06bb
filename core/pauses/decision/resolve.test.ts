// Who decides a wait is answered with what is written, and it is written also while the engine is down.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARGUMENTS_SHA256 } from '#contract/wire/events.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { bucketOf } from '../../workspace/grant/bucket.ts';
import { endRunWithoutReceipt } from '../../runs/run/end.ts';
import { addThread } from '../../threads/create.ts';
import { cancelWait } from '../wait/ask.ts';
import { answerQuestion, decideScope } from './card.ts';
import { openWait } from '../wait/open.ts';
import { recordWaitOutcome } from '../wait/record-outcome.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
beforeAll(async () => {
  // No workflow engine: every message to it fails.
  t = await testContext();
  ada = await t.user('ada');
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});
afterAll(() => t.close());

const anew = (): TestUser => ({ ...ada, requestId: newId('req') });
const rowOf = (id: string) => t.ctx.db('waits').where({ wait_id: id }).first();
const messages = (id: string) =>
  t.ctx
    .db('outbox')
    .where({ workflow_id: `wait:${id}`, kind: 'signal' })
    .orderBy('outbox_id')
    .pluck('name');

async function question(request: object = {}): Promise<{ id: string; run: TestRun }> {
  const [id, run] = [`qst_${randomUUID()}`, runOf(t.ctx, agent, ada.actor.user_id)];
  await inTx(run, (ctx) => openWait(ctx, { waitId: id, kind: 'question', prompt: 'Blue?', request, timeoutSeconds: 600 }));
  return { id, run };
}

/** `extends`: a grant that does not exist any more when it is approved. */
async function scopeRequest(grant_id: string | null = null): Promise<string> {
  const [id, run] = [`scr_${randomUUID()}`, runOf(t.ctx, agent, ada.actor.user_id)];
  const asked = { old: null, read: ['docs/**'], write_prefix: null, mode: 'read_only' as const, deny_patterns: [], reason: 'to read', files: [] };
  const request = { ...asked, bucket: bucketOf(ada.actor.user_id), grant_id, ttl_seconds: 60 };
  await inTx(run, (ctx) => openWait(ctx, { waitId: id, kind: 'scope_request', prompt: 'May I?', request, timeoutSeconds: 600 }));
  return id;
}
const decide = (id: string, decision: 'approve' | 'deny', reason = '') => decideScope(anew(), { approval_id: id, decision, reason });

test('what was approved and cannot be granted is answered as it is written: denied, also when it is sent again', async () => {
  const id = await scopeRequest('grt_gone');
  const first = await decide(id, 'approve');
  const row = await rowOf(id);
  expect({ state: first.state, why: first.denied_reason }).toEqual({ state: 'denied', why: 'the grant that was to be extended has been revoked' });
  expect(row).toMatchObject({ state: 'denied', resolved_by: ada.actor.user_id });
  expect(await decide(id, 'approve')).toEqual(first);
  await expect(decide(id, 'deny')).rejects.toMatchObject({ name: 'Conflict', code: 'wait_resolved', details: { state: 'denied' } });
  expect(await rowOf(id)).toEqual(row);
});

test('an answer is written without the engine, and its delivery waits in the outbox', async () => {
  const { id } = await question();
  expect(await answerQuestion(anew(), { question_id: id, answer: 'blue' })).toMatchObject({ state: 'answered' });
  expect(await rowOf(id)).toMatchObject({ state: 'answered', resolution: { answer: 'blue' }, resolved_by: ada.actor.user_id, delivered_at: null });
  expect(await messages(id)).toEqual(['voted']);
});

test('the same answer of the same person is answered the same under any request; another one hears what stands', async () => {
  const { id } = await question();
  const first = await answerQuestion(anew(), { question_id: id, answer: 'blue' });
  expect(await answerQuestion(anew(), { question_id: id, answer: 'blue' })).toEqual(first);
  await expect(answerQuestion(anew(), { question_id: id, answer: 'red' })).rejects.toMatchObject({ code: 'wait_resolved', details: { state: 'answered' } });
  expect(await messages(id)).toEqual(['voted']);
});

test('the same answer of another person of the account is another answer', async () => {
  const { id } = await question();
  const other = (await t.user('ben')).actor.user_id;
  await recordWaitOutcome(t.ctx, id, { decision: 'answered', answer: 'blue', by: other, request_id: 'req_1' });
  await expect(answerQuestion(anew(), { question_id: id, answer: 'blue' })).rejects.toMatchObject({ code: 'wait_resolved' });
});

test('of approval, denial, deadline and withdrawal at once one is written, and everybody hears of that one', async () => {
  for (let round = 0; round < 8; round += 1) {
    const id = await scopeRequest();
    const done = await Promise.allSettled([
      decide(id, 'approve'),
      decide(id, 'deny', 'no'),
      recordWaitOutcome(t.ctx, id, { decision: round % 2 === 0 ? 'expired' : 'cancelled' }),
      decide(id, 'approve'),
    ]);
    const row = await rowOf(id);
    for (const one of done.filter(({ status }) => status === 'rejected'))
      expect((one as PromiseRejectedResult).reason).toMatchObject({
        code: row?.state === 'expired' || row?.state === 'cancelled' ? 'wait_over' : 'wait_resolved',
      });
    for (const one of done) if (one.status === 'fulfilled' && 'state' in one.value) expect(one.value.state).toBe(row?.state);
    expect(await t.ctx.db('audit_log').where({ target_id: id }).whereNot({ action: 'wait.open' })).toHaveLength(1);
  }
});

test('a skill that withdraws its question has withdrawn it at once; where it was answered before, it hears the answer', async () => {
  const [withdrawn, answered] = [await question(), await question()];
  expect(await cancelWait(withdrawn.run, { wait_id: withdrawn.id })).toMatchObject({ state: 'cancelled' });
  await expect(answerQuestion(anew(), { question_id: withdrawn.id, answer: 'late' })).rejects.toMatchObject({ name: 'Gone' });
  await answerQuestion(anew(), { question_id: answered.id, answer: 'blue' });
  expect(await cancelWait(answered.run, { wait_id: answered.id })).toMatchObject({ state: 'answered', answer: 'blue' });
});

test('to a run that has ended nothing is answered, also before its question is closed', async () => {
  const { id, run } = await question();
  await inTx(t.ctx, (ctx) => endRunWithoutReceipt(ctx, run.actor.run_id, 'cancelled'));
  await expect(answerQuestion(anew(), { question_id: id, answer: 'late' })).rejects.toMatchObject({ code: 'wait_over', name: 'Gone' });
});

test('the thread of a framework’s approval says what its answer means', async () => {
  const { thread_id } = await inTx(ada, (ctx) => addThread(ctx, { ownerId: ada.actor.user_id, title: 'x', titled: true }));
  const schema = {
    type: 'object',
    properties: { approved: { type: 'boolean' }, reason: { type: 'string' } },
    required: ['approved'],
    [ARGUMENTS_SHA256]: 'a'.repeat(64),
  };
  const { id } = await question({ schema });
  await t.ctx.db('waits').where({ wait_id: id }).update({ thread_id });
  await answerQuestion(anew(), { question_id: id, answer: { approved: false, reason: 'never mind' } });
  const events = await t.ctx.db('thread_events').where({ thread_id, kind: 'wait.answered' }).pluck('payload');
  expect(events).toMatchObject([{ wait_id: id, verdict: 'denied', reason: 'never mind' }]);
});
