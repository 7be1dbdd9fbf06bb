import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { ApprovalDesk } from './agent.ts';
import { answerOf, type Settings } from './decision.ts';

class Sample extends ApprovalDesk {
  override settings: Settings = {
    ask: 'owner',
    question: 'Do you approve?',
    approve_up_to: 50,
    wait_seconds: 60,
    webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] },
  };
}
class Impatient extends ApprovalDesk {
  override settings: Settings = { ask: 'owner', question: 'Do you approve?', approve_up_to: null, wait_seconds: 0.05, webhook: null };
}
class ByRole extends ApprovalDesk {
  override settings: Settings = { ask: { role: 'admin' }, question: 'Do you approve?', approve_up_to: null, wait_seconds: 60, webhook: null };
}
const owner = { sub: 'usr_owner', scopes: ['decisions'] };
const ada = { sub: 'usr_ada', email: 'ada@example.com' };
const ben = { sub: 'usr_ben' };
const request = { reference: 'trip-1', title: 'A trip', details: 'To the sea', amount: 900 };

test('asks a person once, and keeps what they said', async () => {
  const prompts: string[] = [];
  const onQuestion = ({ prompt }: { prompt: string }) => (prompts.push(prompt), JSON.stringify({ decision: 'deny', comment: 'Too far' }));
  const agent = testAgent(Sample, { onQuestion, caller: ada });
  const first = (await agent.invoke('decide', request)).result;
  assert.deepEqual([first.decision.decision, first.decision.by, first.decision.comment, first.repeated], ['denied', 'person', 'Too far', false]);
  const again = (await agent.invoke('decide', request)).result;
  assert.deepEqual([again.decision, again.repeated], [first.decision, true]);
  assert.deepEqual(prompts, ['Do you approve?\nA trip\nAmount: 900\nTo the sea']);
  assert.deepEqual((await agent.invoke('decision', { reference: 'trip-1' })).result.decision, first.decision);
});

test('each requester looks up their own decisions, the owner all; who is not signed in gets the same decision for the same request', async () => {
  const asked: unknown[] = [];
  const agent = testAgent(Sample, { onQuestion: ({ of }) => (asked.push(of), 'approve') });
  for (const caller of [ada, ben, null]) assert.equal((await agent.invoke('decide', request, { caller })).result.repeated, false);
  assert.equal((await agent.invoke('decide', request, { caller: null })).result.repeated, true);
  assert.equal((await agent.invoke('decide', { ...request, amount: 901 }, { caller: null })).result.repeated, false);
  assert.deepEqual(asked, ['owner', 'owner', 'owner', 'owner']);
  assert.equal((await agent.invoke('decision', { reference: 'trip-1' }, { caller: owner })).result.decision, null);
  assert.equal((await agent.invoke('list_decisions', {}, { caller: ben })).result.decisions.length, 1);
  for (const skill of ['decision', 'list_decisions'] as const)
    await assert.rejects(agent.invoke(skill, { reference: 'trip-1' } as never, { caller: null }), { code: 'skill_input_error' });
  const { decisions } = (await agent.invoke('all_decisions', {}, { caller: owner })).result;
  assert.deepEqual(decisions.map(({ requester }) => requester).sort(), ['ada@example.com', null, null, 'usr_ben'].sort());
  for (const caller of [ada, ben, null]) await assert.rejects(agent.invoke('all_decisions', {}, { caller }), { code: 'missing_scopes' });
});

test('asks a role, and says that nobody can decide where nobody has it but the requester', async () => {
  const onQuestion = () => 'approve';
  const admin = { email: 'ada@example.com', role: 'admin' as const };
  const cfo = { email: 'cfo@example.com', role: 'admin' as const };
  assert.equal((await testAgent(ByRole, { onQuestion, people: [admin, cfo] }).invoke('decide', request, { caller: ada })).result.decision.by, 'person');
  const alone = testAgent(ByRole, { onQuestion, people: [admin] });
  await assert.rejects(alone.invoke('decide', request, { caller: { ...ada, sub: 'ada@example.com' } }), { message: /Nobody can decide/ });
});

test('approves by rule up to the amount, and not above', async () => {
  const agent = testAgent(Sample, { onQuestion: () => 'deny', caller: ada });
  const decided = async (reference: string, amount: number | undefined) =>
    (await agent.invoke('decide', { reference, title: 'Tea', ...(amount !== undefined && { amount }) })).result.decision;
  assert.deepEqual([(await decided('a', 50)).by, (await decided('a', 50)).decision], ['rule', 'approved']);
  assert.deepEqual([(await decided('b', 50.01)).by, (await decided('b', 50.01)).decision], ['person', 'denied']);
  assert.equal((await decided('c', undefined)).by, 'person');
});

test('refuses another request under the same reference', async () => {
  const agent = testAgent(Sample, { onQuestion: () => 'approve', caller: ada });
  await agent.invoke('decide', request);
  await assert.rejects(agent.invoke('decide', { ...request, amount: 9_000 }), {
    code: 'skill_input_error',
    message: /another request \("A trip"\), which was approved/,
  });
  await assert.rejects(agent.invoke('decide', { ...request, reference: '../x' }), { code: 'skill_input_error' });
});

test('decides nothing when nobody answers, or says neither', async () => {
  const silent = testAgent(Impatient, { caller: ada });
  await assert.rejects(silent.invoke('decide', request), { message: /Nobody decided about "trip-1" in time/ });
  assert.equal((await silent.invoke('decision', { reference: 'trip-1' })).result.decision, null);
  await assert.rejects(testAgent(Sample, { onQuestion: () => 'perhaps' }).invoke('decide', request), { message: /must be "approve" or "deny"/ });
  assert.deepEqual([answerOf(' Approve '), answerOf('{"decision":1}')], [{ decision: 'approved', comment: '' }, undefined]);
});

test('tells the webhook; a decision stays when that fails', async (t) => {
  t.mock.method(globalThis, 'fetch', async () => new Response('no', { status: 500 }));
  const agent = testAgent(Sample, { onQuestion: () => 'approve', secrets: { TARGET_URL: 'https://hooks.example.com/x' }, caller: ada });
  assert.equal((await agent.invoke('decide', request)).result.delivery, 'failed');
  assert.equal((await agent.invoke('list_decisions', { prefix: 'trip-' })).result.decisions.length, 1);
  assert.deepEqual((await agent.invoke('list_decisions', { prefix: 'other' })).result.decisions, []);
});
