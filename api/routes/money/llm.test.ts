// Model credentials and their usage over HTTP.
import { afterAll, beforeAll, expect } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import type { Insert } from '#db/table-types.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const KEY = 'sk-secret-0123456789abcdefghij';
let world: World;
let adaId: string;
beforeAll(async () => {
  world = await createWorld();
  const ada = await world.ctx.db('users').where('email', 'like', 'ada-%').first('user_id');
  adaId = ada?.user_id ?? '';
});
afterAll(() => world.close());

const refused = (status: number, code?: string) => expect.objectContaining({ status, ...(code === undefined ? {} : { code }) });

verifies('llmCreds.put', 'creates or replaces by name; the key is in no answer and no log', async () => {
  const { llmCreds } = world.as('ada');
  const made = await llmCreds.put({ body: { name: 'claude', provider: 'anthropic', api_key: KEY, monthly_budget_micros: 5_000_000 } });
  expect(made).toMatchObject({
    name: 'claude',
    model: 'claude-sonnet-5-5',
    base_url: 'https://api.anthropic.com/v1',
    priced: true,
    default: true,
    key_hint: 'ghij',
  });
  const again = await llmCreds.put({ body: { name: 'claude', provider: 'anthropic', model: 'claude-opus-5-5' } });
  expect([again.model, again.has_key, again.created_at]).toEqual(['claude-opus-5-5', true, made.created_at]);
  await expect(llmCreds.put({ body: { name: 'x', provider: 'openai_compatible', base_url: 'http://169.254.169.254/v1', model: 'm' } })).rejects.toEqual(
    refused(422),
  );
  await expect(llmCreds.put({ body: { name: 'x', provider: 'openai' } })).rejects.toEqual(refused(422));
  expect(JSON.stringify([made, again, await llmCreds.list(), world.logs])).not.toContain(KEY.slice(0, 12));
});

verifies('llmCreds.list', "the account's own, by name", async () => {
  const { llmCreds } = world.as('ada');
  await llmCreds.put({ body: { name: 'b-local', provider: 'openai_compatible', base_url: 'https://models.example.com/v1', model: 'm' } });
  expect((await llmCreds.list()).items.map(({ name, default: main, has_key }) => [name, main, has_key])).toEqual([
    ['b-local', false, false],
    ['claude', true, true],
  ]);
  expect((await world.as('ben').llmCreds.list()).items).toEqual([]);
});

verifies('llmCreds.catalog', 'providers with models, prices and the day they are of', async () => {
  const { items } = await world.as('ben').llmCreds.catalog();
  const anthropic = items.find(({ provider }) => provider === 'anthropic');
  expect(anthropic?.models[0]).toMatchObject({ context_tokens: 1_000_000, price: { output_micros_per_mtok: 20_000_000 }, as_of: '2026-10-24' });
});

verifies('llmCreds.remove', 'deletes; what does not exist, or not yours, is 404', async () => {
  const { llmCreds } = world.as('ada');
  await llmCreds.put({ body: { name: 'gone', provider: 'openai', api_key: KEY } });
  await expect(world.as('ben').llmCreds.remove({ params: { name: 'gone' } })).rejects.toEqual(refused(404, 'credential_not_found'));
  await llmCreds.remove({ params: { name: 'gone' } });
  await expect(llmCreds.remove({ params: { name: 'gone' } })).rejects.toEqual(refused(404, 'credential_not_found'));
});

verifies('llmUsage.list', 'each use, newest first, page by page, with totals by what one asks for, in a period', async () => {
  const use = (day: string, more: Partial<Insert<'llm_usage'>> = {}): Insert<'llm_usage'> => ({
    usage_id: newId('llu'),
    user_id: adaId,
    credential_id: 'llc_x',
    credential: 'main',
    provider: 'openai',
    model: 'm-1',
    purpose: 'chat',
    state: 'ok',
    input_tokens: 100,
    cached_input_tokens: 40,
    output_tokens: 20,
    cost_micros: 7,
    day,
    started_at: `${day}T10:00:00Z`,
    ended_at: `${day}T10:00:01Z`,
    ...more,
  });
  await world.ctx
    .db('llm_usage')
    .insert([
      use('2026-09-30'),
      use('2026-10-01', { model: 'm-2', cost_micros: 100, agent_name: 'scout' }),
      use('2026-10-02', { estimated: true }),
      use('2026-10-02', { model: 'm-3', cost_micros: null, purpose: 'plan' }),
      use('2026-10-31', { state: 'running', ended_at: null, cost_micros: null, cached_input_tokens: 0 }),
      use('2026-11-01'),
    ]);
  const { llmUsage } = world.as('ada');
  const october = { from: '2026-10-01', to: '2026-10-31' };
  const byDay = await llmUsage.list({ query: { ...october, limit: 3 } });
  expect(byDay.totals).toEqual({
    calls: 4,
    input_tokens: 400,
    cached_input_tokens: 120,
    output_tokens: 80,
    cost_micros: 107,
    unpriced_calls: 1,
    estimated_calls: 1,
  });
  expect(byDay.groups.map(({ key, calls }) => [key, calls])).toEqual([
    ['2026-10-01', 1],
    ['2026-10-02', 2],
    ['2026-10-31', 1],
  ]);
  const rest = await llmUsage.list({ query: { ...october, limit: 3, cursor: byDay.next_cursor ?? '' } });
  expect([...byDay.items, ...rest.items].map(({ started_at }) => started_at.slice(5, 10))).toEqual(['10-31', '10-02', '10-02', '10-01']);
  expect(rest.next_cursor).toBeNull();
  const groups = async (group_by: 'model' | 'agent' | 'purpose' | 'credential') =>
    (await llmUsage.list({ query: { ...october, group_by } })).groups.map(({ key, calls, cost_micros }) => [key, calls, cost_micros]);
  expect(await groups('model')).toEqual([
    ['m-2', 1, 100],
    ['m-1', 2, 7],
    ['m-3', 1, 0],
  ]);
  expect(await groups('agent')).toEqual([
    ['scout', 1, 100],
    [null, 3, 7],
  ]);
  expect((await llmUsage.list({ query: { ...october, agent: 'scout' } })).totals).toMatchObject({ calls: 1, cost_micros: 100 });
  expect((await llmUsage.list({ query: { ...october, purpose: 'plan', model: 'm-3' } })).items).toHaveLength(1);
  expect((await world.as('ben').llmUsage.list({ query: october })).totals.calls).toBe(0);
  await expect(llmUsage.list({ query: { from: '2026-10-02', to: '2026-10-01' } })).rejects.toEqual(refused(422));
  await expect(llmUsage.list({ query: { from: '2025-01-01', to: '2026-10-01' } })).rejects.toEqual(refused(422));
  await expect(llmUsage.list({ query: { cursor: 'x' } })).rejects.toEqual(refused(400, 'bad_cursor'));
});
