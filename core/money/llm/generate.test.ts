import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ANSWER } from '#drivers/llm/test/vendor.ts';
import type { TestUser } from '#test/support/context.ts';
import { deleteCredential } from './delete.ts';
import { generate, generateAnswer, type GenerateIn, modelFor } from './generate.ts';
import { sweepUses } from './meter.ts';
import { putCredential } from './put.ts';
import { credential, KEY, modelWorld, type ModelWorld, spent } from './test/models.ts';
import { listUsage } from './usage.ts';

let world: ModelWorld;
let ada: TestUser;
beforeAll(async () => void (world = await modelWorld()));
beforeEach(async () => {
  ada = await world.user('ada');
  world.vendor.next = [];
});
afterAll(() => world.close());

const ask = (user: TestUser, more: Partial<GenerateIn> = {}): GenerateIn => ({
  userId: user.actor.user_id,
  purpose: 'chat',
  messages: [{ role: 'user', text: 'hello' }],
  signal: new AbortController().signal,
  timeoutMs: 20_000,
  ...more,
});
const lastUse = async (user: TestUser) => (await listUsage(user, { limit: 1, group_by: 'day' })).items[0];
/** 60 fresh, 40 cached and 20 answered tokens. */
const COST = 60 + 4 + 200;

test('without a credential the error names the remedy; nobody else’s is used', async () => {
  await putCredential(ada, credential(world.vendor));
  const ben = await world.user('ben');
  for (const more of [{}, { credential: 'main' }]) {
    await expect(generateAnswer(ben, ask(ben, more))).rejects.toMatchObject({ code: 'no_model', message: expect.stringContaining('svc models set') });
  }
  expect([await modelFor(ben, ben.actor.user_id), await modelFor(ada, ada.actor.user_id)]).toEqual([
    undefined,
    { credential: 'main', provider: 'openai_compatible', model: 'm-1' },
  ]);
});

test.each(['openai_compatible', 'anthropic_compatible'] as const)('%s: an answer is counted, and what was reserved is free again', async (provider) => {
  await putCredential(ada, credential(world.vendor, { provider, monthly_budget_micros: 1_000_000 }));
  const answer = await generateAnswer(ada, ask(ada, { agentName: 'scout', runId: 'run_1', threadId: 'thr_1' }));
  expect(answer.text).toBe(ANSWER.join(''));
  expect(await lastUse(ada)).toMatchObject({
    credential: 'main',
    provider,
    model: 'm-1',
    purpose: 'chat',
    agent: 'scout',
    run_id: 'run_1',
    thread_id: 'thr_1',
    state: 'ok',
    error_code: null,
    input_tokens: 100,
    cached_input_tokens: 40,
    output_tokens: 20,
    estimated: false,
    cost_micros: COST,
  });
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: COST, reserved_micros: 0 });
});

test('a hundred at once spend no more than the budget, and what they could not spend is refused before the vendor hears of it', async () => {
  // Each reserves the same: so many of them fit at a time, others later, when some have settled for less.
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 130_000 }));
  const before = world.vendor.asked.length;
  const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => generateAnswer(ada, ask(ada))));
  const answered = outcomes.filter(({ status }) => status === 'fulfilled').length;
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'llm_budget_exceeded' });
  expect(answered).toBeGreaterThanOrEqual(3);
  expect(world.vendor.asked.length - before).toBe(answered);
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: answered * COST, reserved_micros: 0 });
  const { totals } = await listUsage(ada, { limit: 1, group_by: 'day' });
  expect(totals).toMatchObject({ calls: answered, cost_micros: answered * COST });
});

test('at no time is more reserved and spent than the budget', async () => {
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 130_000 }));
  world.vendor.next = Array.from({ length: 100 }, () => ({ never: true as const }));
  const stop = new AbortController();
  const calls = Array.from({ length: 100 }, () => generateAnswer(ada, ask(ada, { signal: stop.signal })).catch((error: unknown) => error));
  // Three fit (41 000 and a little each); 97 are refused at once.
  let refusals = 0;
  for (const call of calls) void call.then(() => (refusals += 1));
  await expect.poll(() => refusals).toBe(97);
  const { spent_micros, reserved_micros } = await spent(ada, ada.actor.user_id);
  expect([spent_micros, reserved_micros > 120_000, reserved_micros <= 130_000]).toEqual([0, true, true]);
  stop.abort();
  const refused = (await Promise.all(calls)).filter((error) => error instanceof Error && 'code' in error && error.code === 'llm_budget_exceeded');
  expect(refused).toHaveLength(97);
  expect((await spent(ada, ada.actor.user_id)).reserved_micros).toBe(0);
});

test('an answer that breaks off is counted from what was sent and said', async () => {
  await putCredential(ada, credential(world.vendor));
  world.vendor.next = [{ breaks: 'reset', after: 'x'.repeat(400) }];
  let said = '';
  const reading = (async () => {
    for await (const part of generate(ada, ask(ada))) if (part.type === 'text' && (said += part.text).length === 400) world.vendor.reset();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'model_bad_answer' });
  expect(said).toHaveLength(400);
  const use = await lastUse(ada);
  expect(use).toMatchObject({ state: 'failed', error_code: 'bad_answer', output_tokens: 100, estimated: true });
  expect(use?.input_tokens).toBeGreaterThan(5);
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: use?.cost_micros, reserved_micros: 0 });
});

test('whoever leaves the answer or is cancelled has it counted as far as it came', async () => {
  await putCredential(ada, credential(world.vendor));
  world.vendor.next = [{ breaks: 'silent', after: 'some words' }];
  for await (const part of generate(ada, ask(ada))) if (part.type === 'text') break;
  expect(await lastUse(ada)).toMatchObject({ state: 'cancelled', error_code: null, output_tokens: 3, estimated: true });
  world.vendor.next = [{ never: true }];
  const stop = new AbortController();
  const asked = world.vendor.asked.length;
  const answer = generateAnswer(ada, ask(ada, { signal: stop.signal }));
  await Promise.all([
    expect(answer).rejects.toMatchObject({ code: 'cancelled' }),
    expect
      .poll(() => world.vendor.asked.length)
      .toBe(asked + 1)
      .then(() => stop.abort()),
  ]);
  expect(await lastUse(ada)).toMatchObject({ state: 'cancelled', error_code: 'cancelled', output_tokens: 0 });
});

test('what passes by waiting is tried again, as often as is sensible, and a refusal costs nothing', async () => {
  await putCredential(ada, credential(world.vendor));
  const busy = { status: 429, body: '{"error":{"message":"slow down"}}', headers: { 'retry-after-ms': '10' } };
  world.vendor.next = [busy, busy];
  expect((await generateAnswer(ada, ask(ada))).text).toBe(ANSWER.join(''));
  world.vendor.next = [busy, busy, busy];
  await expect(generateAnswer(ada, ask(ada))).rejects.toMatchObject({ code: 'model_rate_limited', details: { retry_after_seconds: 1, credential: 'main' } });
  world.vendor.next = [{ ...busy, headers: { 'retry-after': '3600' } }];
  await expect(generateAnswer(ada, ask(ada))).rejects.toMatchObject({ code: 'model_rate_limited', details: { retry_after_seconds: 3600 } });
  expect(world.vendor.next).toEqual([]);
  expect(await lastUse(ada)).toMatchObject({ state: 'failed', error_code: 'rate_limited', input_tokens: 0, cost_micros: 0, estimated: false });
});

test('errors say which credential and what to do, and never the key', async () => {
  await putCredential(ada, credential(world.vendor));
  world.vendor.next = [{ status: 401, body: `{"error":{"message":"Incorrect API key provided: ${KEY}"}}` }];
  const error = await generateAnswer(ada, ask(ada)).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'Conflict', code: 'model_key_refused', message: expect.stringContaining('"main"') });
  expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(KEY);
});

test('an unpriced model is counted without a cost, and refused where there is a budget', async () => {
  await putCredential(ada, credential(world.vendor, { price: null }));
  await generateAnswer(ada, ask(ada));
  expect(await lastUse(ada)).toMatchObject({ state: 'ok', cost_micros: null, input_tokens: 100 });
  expect((await listUsage(ada, { limit: 1, group_by: 'day' })).totals).toMatchObject({ cost_micros: 0, unpriced_calls: 1 });
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 1_000_000 }));
  await expect(generateAnswer(ada, ask(ada, { model: 'another' }))).rejects.toMatchObject({ code: 'unpriced_model' });
});

test('uses of a process that is gone are found, and count what was reserved, once', async () => {
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 1_000_000 }));
  world.vendor.next = [{ breaks: 'silent', after: 'a' }];
  const answer = generate(ada, ask(ada));
  await answer.next();
  const { reserved_micros } = await spent(ada, ada.actor.user_id);
  expect(reserved_micros).toBeGreaterThan(0);
  expect(await sweepUses(ada)).toBe(0);
  const later = { ...ada, clock: () => Date.now() + 3_600_000 };
  expect(await sweepUses(later)).toBe(1);
  expect(await sweepUses(later)).toBe(0);
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: reserved_micros, reserved_micros: 0 });
  // It was not gone after all: its own end comes too late.
  await answer.return(undefined);
  expect(await lastUse(ada)).toMatchObject({ state: 'lost', estimated: true, cost_micros: reserved_micros });
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: reserved_micros, reserved_micros: 0 });
});

test('a credential that is deleted during a call: the call ends well, and its use stays', async () => {
  await putCredential(ada, credential(world.vendor));
  world.vendor.next = [{ breaks: 'silent', after: 'a' }];
  const answer = generate(ada, ask(ada));
  await answer.next();
  await deleteCredential(ada, { name: 'main' });
  await answer.return(undefined);
  expect(await lastUse(ada)).toMatchObject({ credential: 'main', state: 'cancelled' });
});

test('a month’s budget is that month’s', async () => {
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 42_000 }));
  await ada.db('llm_spending').insert({
    credential_id: (await ada.db('llm_credentials').where({ user_id: ada.actor.user_id }).first())?.credential_id ?? '',
    month: '2026-10',
    spent_micros: 42_000,
  });
  const on = (day: string) => ({ ...ada, clock: () => Date.parse(`${day}T12:00:00Z`) });
  await expect(generateAnswer(on('2026-10-31'), ask(ada))).rejects.toMatchObject({ code: 'llm_budget_exceeded', details: { monthly_budget_micros: 42_000 } });
  await generateAnswer(on('2026-11-01'), ask(ada));
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: 42_000 + COST, reserved_micros: 0 });
});
