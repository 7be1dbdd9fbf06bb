// The counting itself, without a model: what a reservation takes, what a refusal leaves, what a broken
// database costs.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestUser } from '#test/support/context.ts';
import { reserve, settleUsage, type Settlement, type Use } from './meter.ts';
import { putCredential } from './put.ts';
import { credential, modelWorld, type ModelWorld, spent } from './test/models.ts';

let world: ModelWorld;
let ada: TestUser;
let use: Use;
beforeAll(async () => void (world = await modelWorld()));
beforeEach(async () => {
  ada = await world.user('ada');
  await putCredential(ada, credential(world.vendor, { monthly_budget_micros: 1_000_000 }));
  const row = await ada.db('llm_credentials').where({ user_id: ada.actor.user_id }).first();
  if (!row) throw new Error('it was not stored');
  const price = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 0, output_micros_per_mtok: 1_000_000 };
  use = { credential: row, model: 'm-1', price, purpose: 'chat', agentName: 'scout', runId: null, threadId: null, inputTokens: 60, outputTokens: 40 };
});
afterAll(() => world.close());

const ended: Settlement = {
  state: 'ok',
  errorCode: null,
  usage: { inputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 20 },
  estimated: false,
  costMicros: 30,
};
const caps = () => ada.db('llm_caps').where({ user_id: ada.actor.user_id }).orderBy('cap_id').select('cap_id', 'reserved_micros', 'spent_micros');
const capOf = (name: string, limitMicros: number) => ({ id: `${name}:${ada.actor.user_id}`, limitMicros, whose: name });
const rate = (tokens: number) => ({ id: `rate:${ada.actor.user_id}`, requests: 10, tokens });
const uses = () => ada.db('llm_usage').where({ user_id: ada.actor.user_id });

test('one cap that does not leave enough: nothing is taken of the others, of the budget or of the rate, and no use is there', async () => {
  const limits = { caps: [capOf('a', 1_000), capOf('b', 99)], rates: [rate(1_000)] };
  await expect(reserve(ada, { ...use, ...limits })).rejects.toMatchObject({ code: 'llm_cap_reached', details: { limit_micros: 99, needed_micros: 100 } });
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: 0, reserved_micros: 0 });
  expect(await caps()).toMatchObject([{ reserved_micros: 0, spent_micros: 0 }]);
  expect([await uses(), await ada.db('llm_rates').where({ rate_id: rate(0).id })]).toEqual([[], []]);
});

test('a rate that does not leave enough gives back budget and caps', async () => {
  const limits = { caps: [capOf('a', 1_000)], rates: [rate(150)] };
  const first = await reserve(ada, { ...use, ...limits });
  await expect(reserve(ada, { ...use, ...limits })).rejects.toMatchObject({ code: 'llm_rate_reached' });
  expect(await caps()).toMatchObject([{ reserved_micros: 100 }]);
  expect(
    await ada
      .db('llm_rates')
      .where({ rate_id: rate(0).id })
      .first(),
  ).toMatchObject({ requests: 1, tokens: 100 });
  await settleUsage(ada, first, ended);
  expect(await caps()).toMatchObject([{ reserved_micros: 0, spent_micros: 30 }]);
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: 30, reserved_micros: 0 });
});

test('a reservation that a broken database forgot is counted at its end, once', async () => {
  const reserved = await reserve(ada, { ...use, caps: [capOf('a', 1_000)] });
  await uses().delete();
  await ada.db('llm_spending').where({ credential_id: use.credential.credential_id }).delete();
  await ada.db('llm_caps').where({ user_id: ada.actor.user_id }).update({ reserved_micros: 0 });
  await Promise.all([settleUsage(ada, reserved, ended), settleUsage(ada, reserved, ended)]);
  expect(await spent(ada, ada.actor.user_id)).toEqual({ spent_micros: 30, reserved_micros: 0 });
  expect(await caps()).toMatchObject([{ reserved_micros: 0, spent_micros: 30 }]);
  expect(await uses()).toMatchObject([{ usage_id: reserved.usage_id, state: 'ok', cost_micros: 30, output_tokens: 20, agent_name: 'scout' }]);
});

test('fifty at a time under the same two caps, named in either order, wait for no deadlock and take no more than there is', async () => {
  const two = [capOf('a', 2_500), capOf('b', 2_500)];
  const taken = await Promise.allSettled(
    Array.from({ length: 50 }, async (_, at) => {
      const reserved = await reserve(ada, { ...use, caps: at % 2 ? two : two.toReversed() });
      if (at % 3 === 0) await settleUsage(ada, reserved, { ...ended, costMicros: 100 });
      return reserved;
    }),
  );
  const refusals = taken.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []));
  expect(new Set(refusals)).toEqual(new Set(['llm_cap_reached']));
  expect(refusals).toHaveLength(25);
  const [a, b] = await caps();
  expect((a?.reserved_micros ?? 0) + (a?.spent_micros ?? 0)).toBe(2_500);
  expect(b).toMatchObject({ reserved_micros: a?.reserved_micros, spent_micros: a?.spent_micros });
  const { reserved_micros, spent_micros } = await spent(ada, ada.actor.user_id);
  expect({ reserved_micros, spent_micros }).toEqual({ reserved_micros: a?.reserved_micros, spent_micros: a?.spent_micros });
});
