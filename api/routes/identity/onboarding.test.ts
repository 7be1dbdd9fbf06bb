// First steps of an account: true when the facts are, and only then.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { inTx } from '#core/kernel/tx.ts';
import { addAgent, facts } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let ben: string;
beforeAll(async () => {
  world = await createWorld();
  ben = (await world.ctx.db('users').whereLike('email', 'ben-%').first('user_id'))?.user_id ?? '';
});
afterAll(() => world.close());

const mine = () => world.as('ben').onboarding;
const step = async (name: string) => (await mine().get()).steps.find(({ step: one }) => one === name)?.completed_at;

/** A call of Ben's of that agent, as its receipt says. */
async function called(agent: { id: string; name: string }, more: { status: 'ok' | 'error' }): Promise<void> {
  const caller = { kind: 'user', id: ben, userId: ben };
  await inTx(world.ctx, (ctx) => appendReceipt(ctx, facts(agent, { ...more, caller, errorCode: more.status === 'ok' ? null : 'x' })));
}

verifies('onboarding.get', 'each step is complete by what the account has and has done', async () => {
  expect(await mine().get()).toMatchObject({ current_step: 'model_key', completed_at: null, tour_index: 0, tour_total: 5, dismissed_at: null });
  await world.as('ben').llmCreds.put({ body: { name: 'main', provider: 'openai', api_key: 'sk-example-0123456789' } });
  expect(await mine().get()).toMatchObject({ current_step: 'first_agent', completed_at: null });
  await world.as('ben').agents.register({ body: { name: 'onboarded' } });
  expect(await mine().get()).toMatchObject({ current_step: 'first_call', completed_at: null });
  const adas = await addAgent(world.ctx.db, world.records['user_id'] ?? '', { live: true, visibility: 'public' });
  await world.ctx.db('receipt_chains').insert({ agent_id: adas.id }).onConflict('agent_id').ignore();
  await called(adas, { status: 'error' });
  expect(await step('first_call')).toBeNull();
  await called(adas, { status: 'ok' });
  const done = await mine().get();
  expect(done).toMatchObject({ current_step: null, completed_at: done.steps[2]?.completed_at });
  const first = await world.ctx.db('receipts').where({ caller_user_id: ben, status: 'ok' }).first('created_at');
  await called(adas, { status: 'ok' });
  expect(await step('first_call')).toBe(first?.created_at.toISOString());
});

test('a step whose reason is gone is open again', async () => {
  await world.as('ben').agents.delete({ params: { name: 'onboarded' } });
  expect(await mine().get()).toMatchObject({ current_step: 'first_agent', completed_at: null });
});

verifies('onboarding.update', 'keeps the place in the tour and whether it was put away; neither completes a step', async () => {
  const before = await mine().get();
  expect(await mine().update({ body: { tour_index: 5 } })).toEqual({ ...before, tour_index: 5 });
  const dismissed = await mine().update({ body: { dismissed: true } });
  expect(dismissed).toMatchObject({ current_step: 'first_agent', completed_at: null, tour_index: 5, dismissed_at: expect.any(String) });
  expect(await mine().update({ body: { dismissed: true } })).toEqual(dismissed);
  expect(await mine().update({ body: { dismissed: false } })).toMatchObject({ dismissed_at: null, tour_index: 5 });
  expect(await mine().update({ body: {} })).toMatchObject({ tour_index: 5 });
});

test('a request cannot mark a step as complete, or go beyond the end', async () => {
  for (const body of [
    { completed_at: '2026-11-24T00:00:00.000Z' },
    { steps: [] },
    { current_step: null },
    { tour_index: 6 },
    { tour_index: -1 },
    { dismissed_at: null },
  ]) {
    const response = await fetch(`${world.url}/v1/me/onboarding`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${world.tokens.ben}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, JSON.stringify(body)).toBe(422);
    await response.body?.cancel();
  }
});

test("another account's place is its own", async () => {
  expect(await world.as('ada').onboarding.get()).toMatchObject({ tour_index: 0, dismissed_at: null });
});
