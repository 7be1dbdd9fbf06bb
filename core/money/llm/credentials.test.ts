import { afterAll, beforeAll, expect, test } from 'vitest';
import { LlmCredentialIn, LlmProvider } from '#contract/money/llm-creds.ts';
import { catalog, modelOf, presetOf } from './catalog.ts';
import { deleteCredential } from './delete.ts';
import { listCredentials } from './list.ts';
import { costMicros } from './price.ts';
import { putCredential } from './put.ts';
import { credential, KEY, modelWorld, type ModelWorld } from './test/models.ts';

let world: ModelWorld;
beforeAll(async () => void (world = await modelWorld()));
afterAll(() => world.close());

const invalid = (field: string) => expect.objectContaining({ code: 'invalid_input', issues: [expect.objectContaining({ path: ['body', field] })] });

test('every provider of the contract has a preset, every default model and price is there, prices become whole numbers', () => {
  expect(
    catalog()
      .map(({ provider }) => provider)
      .toSorted(),
  ).toEqual([...LlmProvider.options].toSorted());
  for (const preset of catalog()) {
    if (preset.default_model !== null && preset.models.length > 0) expect(modelOf(preset.provider, preset.default_model), preset.provider).toBeDefined();
  }
  expect(modelOf('anthropic', 'claude-opus-5-5')?.price).toMatchObject({ input_micros_per_mtok: 4_000_000, cached_input_micros_per_mtok: 200_000 });
  expect(modelOf('anthropic', 'unheard-of')).toBeUndefined();
  expect(presetOf('ollama').needs_key).toBe(false);
});

test('costs are whole micro-dollars, rounded up; a long input has its own price', () => {
  const price = {
    input_micros_per_mtok: 3,
    output_micros_per_mtok: 1_000_000,
    long_input: { above_tokens: 10, input_micros_per_mtok: 2_000_000, output_micros_per_mtok: 0 },
  };
  const usage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  expect(costMicros(price, usage)).toBe(0);
  expect(costMicros(price, { ...usage, inputTokens: 1 })).toBe(1);
  expect(costMicros(price, { ...usage, outputTokens: 7 })).toBe(7);
  expect(costMicros(price, { ...usage, inputTokens: 11, outputTokens: 7 })).toBe(22);
  expect(costMicros({ input_micros_per_mtok: 1_000_000_000, output_micros_per_mtok: 1_000_000_000 }, { ...usage, inputTokens: 1e8, outputTokens: 1e8 })).toBe(
    2e11,
  );
});

test('the key is sealed where it lies and is nowhere in what is shown, said or logged', async () => {
  const ada = await world.user('ada');
  const made = await putCredential(ada, credential(world.vendor));
  expect(made).toMatchObject({ name: 'main', has_key: true, key_hint: KEY.slice(-4), default: true, check: { state: 'unchecked' } });
  const rows = await ada.db('llm_credentials').where({ user_id: ada.actor.user_id });
  const audited = await ada.db('audit_log').where({ owner_id: ada.actor.user_id });
  expect(JSON.stringify([made, await listCredentials(ada), rows, audited])).not.toContain(KEY.slice(0, -4));
  expect((await putCredential(ada, credential(world.vendor, { name: 'short', api_key: 'short-key' }))).key_hint).toBe('');
  for (const key of ['a b', 'a\nb', '', 'ключ']) expect(LlmCredentialIn.safeParse({ name: 'x', provider: 'openai', api_key: key }).success, key).toBe(false);
});

test('creating replaces by name and keeps the key, unless it would go elsewhere', async () => {
  const ada = await world.user('ada');
  await putCredential(ada, credential(world.vendor));
  const sealedKey = () => ada.db('llm_credentials').where({ user_id: ada.actor.user_id, name: 'main' }).first('key_sealed', 'credential_id');
  const before = await sealedKey();
  const again = await putCredential(ada, credential(world.vendor, { api_key: undefined, monthly_budget_micros: 5 }));
  expect([again.monthly_budget_micros, await sealedKey()]).toEqual([5, before]);
  // Somebody with her session who points it at their own server gets no key of hers.
  const moved = await putCredential(ada, credential(world.vendor, { api_key: undefined, base_url: 'https://evil.example.com/v1' }));
  expect([moved.has_key, moved.key_hint]).toEqual([false, '']);
  await expect(putCredential(ada, credential(world.vendor, { name: 'o', provider: 'openai', api_key: undefined, base_url: undefined }))).rejects.toEqual(
    invalid('api_key'),
  );
  await expect(putCredential(ada, credential(world.vendor, { provider: 'openai', base_url: 'https://evil.example.com' }))).rejects.toEqual(invalid('base_url'));
});

test('one default at any time, also when many come at once, and when it is deleted', async () => {
  const ada = await world.user('ada');
  await Promise.all(Array.from({ length: 12 }, (_, n) => putCredential(ada, credential(world.vendor, { name: `c${n}`, default: true }))));
  const defaults = async () => (await listCredentials(ada)).items.filter((one) => one.default).map(({ name }) => name);
  expect(await defaults()).toHaveLength(1);
  await putCredential(ada, credential(world.vendor, { name: 'c3', default: true }));
  expect(await defaults()).toEqual(['c3']);
  await deleteCredential(ada, { name: 'c3' });
  expect(await defaults()).toHaveLength(1);
  await expect(deleteCredential(ada, { name: 'c3' })).rejects.toMatchObject({ code: 'credential_not_found' });
  const ben = await world.user('ben');
  await expect(deleteCredential(ben, { name: 'c4' })).rejects.toMatchObject({ code: 'credential_not_found' });
  expect((await listCredentials(ben)).items).toEqual([]);
});

test('an account has so many and no more', async () => {
  const ada = await world.user('ada');
  for (let n = 0; n < 50; n += 1) await putCredential(ada, credential(world.vendor, { name: `c${n}` }));
  await expect(putCredential(ada, credential(world.vendor, { name: 'c50' }))).rejects.toMatchObject({ code: 'too_many_credentials' });
  await putCredential(ada, credential(world.vendor, { name: 'c49', model: 'other' }));
});

test.each(['https://169.254.169.254/v1', 'http://127.0.0.1:5432', 'https://localhost/v1', 'https://db/v1', 'file:///etc/passwd'])(
  '%s is no endpoint',
  async (base_url) => {
    const ada = await world.user('ada');
    await expect(putCredential(ada, credential(world.vendor, { base_url }))).rejects.toEqual(invalid('base_url'));
  },
);

test('a budget needs a price', async () => {
  const ada = await world.user('ada');
  await expect(putCredential(ada, credential(world.vendor, { price: null, monthly_budget_micros: 1 }))).rejects.toEqual(invalid('monthly_budget_micros'));
  expect(await putCredential(ada, credential(world.vendor, { price: null }))).toMatchObject({ priced: false, price: null });
});

test('a probe says whether the key works, and why not', async () => {
  const ada = await world.user('ada');
  expect((await putCredential(ada, credential(world.vendor, { probe: true }))).check).toMatchObject({ state: 'works', code: null, at: expect.any(String) });
  world.vendor.next = [{ status: 401, body: `{"error":{"message":"Incorrect API key provided: ${KEY}"}}` }];
  const refused = await putCredential(ada, credential(world.vendor, { probe: true }));
  expect(refused.check).toMatchObject({ state: 'failed', code: 'model_key_refused', message: expect.stringContaining('replace the key') });
  expect(JSON.stringify(refused)).not.toContain(KEY);
  expect((await putCredential(ada, credential(world.vendor, { probe: true, monthly_budget_micros: 0 }))).check.code).toBe('llm_budget_exceeded');
  expect((await putCredential(ada, credential(world.vendor))).check.state).toBe('unchecked');
  const uses = await ada.db('llm_usage').where({ user_id: ada.actor.user_id }).orderBy('started_at').select('purpose', 'state', 'error_code', 'cost_micros');
  expect(uses).toEqual([
    { purpose: 'probe', state: 'ok', error_code: null, cost_micros: 264 },
    { purpose: 'probe', state: 'failed', error_code: 'auth', cost_micros: 0 },
  ]);
});
