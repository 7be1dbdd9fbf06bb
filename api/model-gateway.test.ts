// The model gateway as agents meet it: the official clients of both providers, unmodified, once directly and
// once through it.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { MODEL_BASE_PATHS, type ModelUse } from '#contract/wire/model-use.ts';
import type { RunActor } from '#core/kernel/ctx.ts';
import { askModel } from '#core/money/gateway/ask.ts';
import { operationAt } from '#core/money/gateway/operations.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { startProvider, type Provider } from '#test/support/provider/provider.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

const KEYS = { openai: 'sk-openai-0123456789abcdefghij', anthropic: 'sk-ant-0123456789abcdefghijkl' };
/**
 * Of the provider's 120 tokens a chat costs 60 + 4 + 200 = 264 micro-dollars: one dollar in, ten cents
 * cached, ten dollars out, for a million.
 */
const PRICE = { input_micros_per_mtok: 1_000_000, cached_input_micros_per_mtok: 100_000, output_micros_per_mtok: 10_000_000 };
const CHAT_COST = 264;

let world: World;
let provider: Provider;
let ids: { ada: string; ben: string };
beforeAll(async () => {
  provider = await startProvider();
  world = await createWorld({ llmLocalHosts: [provider.host, '127.0.0.1:1'] });
  const idOf = async (name: string) => (await world.ctx.db('users').where('email', 'like', `${name}-%`).first('user_id'))?.user_id ?? '';
  ids = { ada: await idOf('ada'), ben: await idOf('ben') };
});
afterAll(async () => {
  await world.close();
  await provider.close();
});
beforeEach(async () => {
  provider.asked.length = 0;
  provider.next.length = 0;
  provider.pace = async () => undefined;
  // Of a word that goes on in the next piece, the gateway holds the beginning back.
  provider.words = ['Hel ', 'lo, ', 'wörld ', '🙂'];
  for (const table of ['llm_usage', 'llm_spending', 'llm_caps', 'llm_rates', 'llm_grants', 'llm_credentials']) await world.ctx.db(table).delete();
});

type Credential = Parameters<ReturnType<World['as']>['llmCreds']['put']>[0]['body'];
const credential = (who: 'ada' | 'ben', more: Partial<Credential> = {}) =>
  world.as(who).llmCreds.put({
    body: { name: 'main', provider: 'openai_compatible', base_url: provider.url, api_key: KEYS.openai, model: 'm-1', price: PRICE, ...more },
  });
const anthropicCredential = (who: 'ada' | 'ben', more: Partial<Credential> = {}) =>
  credential(who, { name: 'claude', provider: 'anthropic_compatible', api_key: KEYS.anthropic, ...more });

/** An agent of Ada that declares this. */
async function agentWith(models: Partial<ModelUse> | null): Promise<LiveAgent> {
  const agent = await liveAgent(world.ctx, ids.ada);
  const manifest = models === null ? {} : { models: { paid_by: 'owner', ...models } };
  await world.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify(manifest) });
  return agent;
}

const keyOf = ({ actor }: { actor: RunActor }, ms = 60_000) => mintRunCredential(world.ctx.drivers.vault, actor, Date.now() + ms);
const runKey = async (agent: LiveAgent, user: string | null = ids.ben, more: Partial<RunActor> = {}) => keyOf(runOf(world.ctx, agent, user, more));

const openai = (apiKey: string) => new OpenAI({ baseURL: world.url + MODEL_BASE_PATHS.openai, apiKey, maxRetries: 0 });
const anthropic = (apiKey: string) => new Anthropic({ baseURL: world.url + MODEL_BASE_PATHS.anthropic, apiKey, maxRetries: 0 });
const direct = {
  openai: () => new OpenAI({ baseURL: provider.url, apiKey: 'x' }),
  anthropic: () => new Anthropic({ baseURL: provider.url.replace(/\/v1$/, ''), apiKey: 'x' }),
};
async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
const uses = () => world.ctx.db('llm_usage').orderBy('usage_id');
const question = [{ role: 'user' as const, content: 'Where am I?' }];
const tools = [{ type: 'function' as const, function: { name: 'look_up', parameters: { type: 'object', properties: { city: { type: 'string' } } } } }];
const picture = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(40_000)}` } };

test("OpenAI's client reads the same through the gateway: chat, tools, pictures, responses, embeddings, models; each is counted", async () => {
  await credential('ada');
  const client = openai(await runKey(await agentWith({})));
  const streamed = { model: 'm-1', messages: question, stream: true as const };
  for (const body of [streamed, { ...streamed, stream_options: { include_usage: true } }, { ...streamed, tools }])
    expect(await all(await client.chat.completions.create(body))).toEqual(await all(await direct.openai().chat.completions.create(body)));
  const whole = { model: 'm-1', messages: [{ role: 'user' as const, content: [picture, { type: 'text' as const, text: 'What is it?' }] }], tools };
  expect(await client.chat.completions.create(whole)).toEqual(await direct.openai().chat.completions.create(whole));
  const response = { model: 'm-2', input: 'Where am I?' };
  expect(await all(await client.responses.create({ ...response, stream: true }))).toEqual(
    await all(await direct.openai().responses.create({ ...response, stream: true })),
  );
  expect(await client.responses.create(response)).toEqual(await direct.openai().responses.create(response));
  const texts = { model: 'm-1', input: ['a', 'b'] };
  expect(await client.embeddings.create(texts)).toEqual(await direct.openai().embeddings.create(texts));
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['m-1', 'm-2', 'other-1']);

  const seen = provider.asked.filter(({ headers }) => headers.authorization !== 'Bearer x');
  expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEYS.openai}`]));
  expect(JSON.stringify(seen.map(({ headers }) => headers))).not.toContain('svc_run_');
  expect((await uses()).map(({ purpose, model, state, cost_micros }) => [purpose, model, state, cost_micros])).toEqual([
    ...Array.from({ length: 4 }, () => ['chat', 'm-1', 'ok', CHAT_COST]),
    // Of m-2 no price is known.
    ['responses', 'm-2', 'ok', null],
    ['responses', 'm-2', 'ok', null],
    ['embeddings', 'm-1', 'ok', 30],
  ]);
  expect((await uses())[0]).toMatchObject({
    input_tokens: 100,
    cached_input_tokens: 40,
    output_tokens: 20,
    estimated: false,
    user_id: ids.ada,
    person_id: ids.ben,
  });
});

test("Anthropic's client reads the same through the gateway: messages, tools, the count of tokens, models; each is counted", async () => {
  await credential('ada');
  await anthropicCredential('ada');
  const client = anthropic(await runKey(await agentWith({})));
  const asked = { model: 'm-1', max_tokens: 100, messages: question };
  const withTools = { ...asked, tools: [{ name: 'look_up', input_schema: { type: 'object' as const } }] };
  for (const body of [asked, withTools]) {
    expect(await all(await client.messages.create({ ...body, stream: true }))).toEqual(
      await all(await direct.anthropic().messages.create({ ...body, stream: true })),
    );
    expect(await client.messages.create(body)).toEqual(await direct.anthropic().messages.create(body));
  }
  expect(await client.messages.countTokens({ model: 'm-1', messages: question })).toEqual({ input_tokens: 77 });
  expect((await client.models.list()).data.map(({ id }) => id)).toContain('m-2');
  const throughIt = provider.asked.filter(({ headers }) => headers.authorization === undefined);
  expect(new Set(throughIt.map(({ headers }) => headers['x-api-key']))).toEqual(new Set([KEYS.anthropic]));
  expect(throughIt).toHaveLength(6);
  expect((await uses()).map((use) => [use.purpose, use.input_tokens, use.cached_input_tokens, use.output_tokens, use.cost_micros])).toEqual(
    Array.from({ length: 4 }, () => ['messages', 100, 40, 20, CHAT_COST]),
  );
});

test('a word is passed on as it comes; who leaves in the middle ends the request, and is counted for what was said', async () => {
  await credential('ada');
  const client = openai(await runKey(await agentWith({})));
  const released = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  provider.pace = async (at) => released[at - 1]?.promise;
  const stream = await client.chat.completions.create({ model: 'm-1', messages: question, stream: true });
  const said: string[] = [];
  const left = provider.left;
  for await (const { choices } of stream) {
    said.push(choices[0]?.delta.content ?? '');
    if (said.at(-1) === 'Hel ') released[0]?.resolve();
    if (said.at(-1) === 'lo, ') break;
  }
  expect(said).toEqual(['', 'Hel ', 'lo, ']);
  await vi.waitFor(() => expect(provider.left).toBe(left + 1));
  await vi.waitFor(async () => expect((await uses())[0]).toMatchObject({ state: 'cancelled', estimated: true, output_tokens: 2 }));
  expect((await world.ctx.db('llm_spending').first())?.reserved_micros).toBe(0);
  released[1]?.resolve();
});

test('who leaves before the first word is read ends the request all the same, and its use', async () => {
  await credential('ada');
  const never = Promise.withResolvers<void>();
  provider.pace = () => never.promise;
  const left = provider.left;
  const run = runOf(world.ctx, await agentWith({}), ids.ben);
  const operation = operationAt('POST', `${MODEL_BASE_PATHS.openai}/chat/completions`);
  if (!operation) throw new Error('there is no such operation');
  const gone = new AbortController();
  const body = JSON.stringify({ model: 'm-1', messages: question, stream: true });
  const ctx = { ...world.ctx, actor: run.actor, requestId: 'req_left' };
  const asked = await askModel(ctx, { run: run.actor, grant: undefined, operation, query: '', body, headers: {}, signal: gone.signal });
  expect(asked.status).toBe(200);
  gone.abort();
  await vi.waitFor(() => expect(provider.left).toBe(left + 1));
  await vi.waitFor(async () => expect((await uses())[0]).toMatchObject({ state: 'cancelled', error_code: 'cancelled' }));
  never.resolve();
});

test("whose credential it is: the owner's, or the caller's as far as they allow it, and never the key of either", async () => {
  await credential('ada');
  const callers = await agentWith({ paid_by: 'caller' });
  const ask = async (agent: LiveAgent, user: string | null, more: Partial<RunActor> = {}) =>
    openai(await runKey(agent, user, more)).chat.completions.create({ model: 'm-1', messages: question });
  const refused = (status: number, code: string) => expect.objectContaining({ status, code });
  await expect(ask(await agentWith(null), ids.ben)).rejects.toEqual(refused(403, 'models_not_declared'));
  // Ben has none; then one that agents of others do not use.
  await expect(ask(callers, ids.ben)).rejects.toEqual(refused(409, 'models_not_allowed'));
  await credential('ben', { api_key: 'sk-of-ben-0123456789abcdefgh' });
  await expect(ask(callers, ids.ben)).rejects.toEqual(refused(409, 'models_not_allowed'));
  await expect(ask(callers, null)).rejects.toEqual(refused(409, 'models_not_allowed'));
  await ask(await agentWith({ paid_by: 'caller_or_owner' }), ids.ben);
  expect((await uses()).map(({ user_id }) => user_id)).toEqual([ids.ada]);
  // Ada's own call of her own agent.
  await ask(callers, ids.ada);
  await credential('ben', { api_key: 'sk-of-ben-0123456789abcdefgh', agent_run_budget_micros: 1_000_000 });
  await ask(callers, ids.ben);
  // A skill may differ.
  await ask(await agentWith({ skills: { work: { paid_by: 'caller' } } }), ids.ben);
  expect((await uses()).map(({ user_id }) => user_id)).toEqual([ids.ada, ids.ada, ids.ben, ids.ben]);
  expect(world.logs.join('')).not.toMatch(/sk-of-ben|sk-openai/);
});

test('what a run may spend holds while 200 streams race, across the agents that it calls', async () => {
  // Each may cost 64 tokens in at most and 100 out: a bit more than a thousandth of a dollar. Each costs 264.
  await credential('ben', { agent_run_budget_micros: 20_000 });
  const agent = await agentWith({ paid_by: 'caller' });
  const root = runOf(world.ctx, agent, ids.ben);
  const children = Array.from({ length: 4 }, () => runOf(world.ctx, agent, ids.ben, { root_run_id: root.actor.run_id, parent_run_id: root.actor.run_id }));
  const clients = (await Promise.all([root, ...children].map((run) => keyOf(run)))).map(openai);
  const race = await Promise.allSettled(
    Array.from({ length: 200 }, async (_one, at) => {
      const client = clients[at % clients.length];
      return client && all(await client.chat.completions.create({ model: 'm-1', messages: question, stream: true, max_tokens: 100 }));
    }),
  );
  const reasons = race.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []));
  expect(reasons).toContain('llm_cap_reached');
  expect(['llm_cap_reached', 'model_gateway_busy']).toEqual(expect.arrayContaining([...new Set(reasons)]));
  const caps = await world.ctx.db('llm_caps');
  expect(caps).toHaveLength(1);
  const spent = (200 - reasons.length) * CHAT_COST;
  expect(caps[0]).toMatchObject({ spent_micros: spent, reserved_micros: 0 });
  expect(spent).toBeLessThanOrEqual(20_000);
  // As many as are reserved at once, at least.
  expect(spent).toBeGreaterThanOrEqual(10 * CHAT_COST);
});

test('models, requests and tokens a minute, and what a request may name are bounded', async () => {
  await credential('ada');
  await credential('ben', { agent_run_budget_micros: 1_000_000 });
  const client = openai(await runKey(await agentWith({ allow: ['m-*'], requests_per_minute: 3 })));
  await expect(client.chat.completions.create({ model: 'other-1', messages: question })).rejects.toMatchObject({ status: 403, code: 'model_not_allowed' });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['m-1', 'm-2']);
  for (let i = 0; i < 3; i += 1) await client.chat.completions.create({ model: 'm-1', messages: question });
  await expect(client.chat.completions.create({ model: 'm-1', messages: question })).rejects.toMatchObject({ status: 429, code: 'llm_rate_reached' });
  const callers = openai(await runKey(await agentWith({ paid_by: 'caller' })));
  for (const more of [{ previous_response_id: 'resp_1' }, { background: true }, { tools: [{ type: 'web_search' as const }] }, { conversation: 'conv_1' }])
    await expect(callers.responses.create({ model: 'm-1', input: 'x', ...more })).rejects.toMatchObject({ status: 400, code: 'model_request_invalid' });
  const stored = [{ role: 'user' as const, content: [{ type: 'file' as const, file: { file_id: 'file_1' } }] }];
  await expect(callers.chat.completions.create({ model: 'm-1', messages: stored })).rejects.toMatchObject({ status: 400 });
});

test('what the provider refuses it says itself, but of the key; nothing of its account is shown', async () => {
  await credential('ada');
  const client = openai(await runKey(await agentWith({})));
  const ask = () => client.chat.completions.create({ model: 'm-1', messages: question });
  provider.next = [
    { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEYS.openai}` } }) },
    { status: 400, body: JSON.stringify({ error: { message: `messages is too short (${KEYS.openai})`, type: 'invalid_request_error', code: 'too_short' } }) },
    { status: 429, body: '{"error":{"message":"slow down"}}', headers: { 'retry-after': '7' } },
  ];
  const errors = [];
  for (let i = 0; i < 3; i += 1) errors.push(await ask().catch((error: unknown) => error));
  expect(errors).toEqual([
    expect.objectContaining({ status: 409, code: 'model_key_refused' }),
    expect.objectContaining({ status: 400, code: 'too_short', message: expect.stringContaining('([key])') }),
    expect.objectContaining({ status: 429 }),
  ]);
  expect(JSON.stringify(errors)).not.toContain(KEYS.openai);
  expect((await uses()).map(({ state, cost_micros }) => [state, cost_micros])).toEqual(Array.from({ length: 3 }, () => ['failed', 0]));
  const { response } = await ask().withResponse();
  expect([...response.headers.keys()]).not.toContain('openai-organization');
});

test('one model is read by its id, from the list of those that the agent may use; the id reaches no endpoint', async () => {
  await credential('ada');
  await anthropicCredential('ada');
  const key = await runKey(await agentWith({ allow: ['m-*'] }));
  expect(await openai(key).models.retrieve('m-2')).toMatchObject({ id: 'm-2' });
  expect(await anthropic(key).models.retrieve('m-2')).toMatchObject({ id: 'm-2' });
  for (const id of ['other-1', 'no-such', '../keys', 'm-1/..', '%2e%2e%2fkeys'])
    await expect(openai(key).models.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'model_unknown' });
  expect(provider.asked.every(({ path }) => /\/models(?:\?limit=1000)?$/.test(path))).toBe(true);
  const authorization = `Bearer ${key}`;
  const head = await fetch(`${world.url}/llm/openai/v1/models/m-2`, { method: 'HEAD', headers: { authorization } });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const wrong = await fetch(`${world.url}/llm/openai/v1/models/m-2`, { method: 'DELETE', headers: { authorization } });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('what the endpoint could not take is sent again, then to other models, as the agent declares; nothing after the first word', async () => {
  await credential('ada');
  const busy = (status: number, headers = {}) => ({ status, body: '{"error":{"message":"busy"}}', headers });
  const chat = { model: 'm-1', messages: question, stream: true as const };
  const asked = async (models: Partial<ModelUse>, answers: Provider['next']) => {
    await world.ctx.db('llm_usage').delete();
    provider.asked.length = 0;
    provider.next = answers;
    const client = openai(await runKey(await agentWith(models)));
    const chunks = client.chat.completions.create(chat).then(all);
    const said = await chunks.then(
      ([first]) => first?.model,
      (error: { status: number }) => error.status,
    );
    // Who has read the last word does not wait for its use to be counted.
    await vi.waitFor(async () => expect((await uses()).map(({ state }) => state)).not.toContain('running'));
    return [said, provider.asked.map(({ body }) => body['model']), (await uses()).map(({ state, model }) => `${model} ${state}`)];
  };
  const soon = { 'retry-after-ms': '1' };
  expect(await asked({ retries: 2 }, [busy(503, soon), busy(429, soon)])).toEqual(['m-1', ['m-1', 'm-1', 'm-1'], ['m-1 failed', 'm-1 failed', 'm-1 ok']]);
  expect(await asked({ retries: 1 }, [busy(500, soon), busy(429, soon)])).toEqual([429, ['m-1', 'm-1'], ['m-1 failed', 'm-1 failed']]);
  // What it will not take later either is not sent again.
  expect(await asked({ retries: 5 }, [busy(400)])).toEqual([400, ['m-1'], ['m-1 failed']]);
  // No call waits for a minute; models that the agent may not use are left out.
  const fallbacks = { 'm-*': ['m-3', 'm-2'] };
  expect(await asked({ retries: 3, fallbacks, allow: ['m-1', 'm-2'] }, [busy(429, { 'retry-after': '60' })])).toEqual([
    'm-2',
    ['m-1', 'm-2'],
    ['m-1 failed', 'm-2 ok'],
  ]);
  expect(await asked({ retries: 3 }, [busy(429, { 'retry-after': '60' })])).toEqual([429, ['m-1'], ['m-1 failed']]);
  expect(await asked({ fallbacks: { other: ['m-2'] } }, [busy(503)])).toEqual([503, ['m-1'], ['m-1 failed']]);
  // It breaks off in the middle: the client has read half of it.
  provider.pace = (at) => (at === 2 ? Promise.reject(new Error('broken off')) : Promise.resolve());
  expect((await asked({ retries: 3, fallbacks }, []))[1]).toEqual(['m-1']);
  // No server listens any more.
  await credential('ada', { base_url: 'http://127.0.0.1:1/v1', probe: false });
  const gone = openai(await runKey(await agentWith({ fallbacks: { 'm-1': ['m-2'] } })));
  await expect(gone.chat.completions.create({ model: 'm-1', messages: question })).rejects.toMatchObject({ code: 'model_unreachable' });
  expect((await uses()).slice(-2).map(({ model, error_code }) => [model, error_code])).toEqual([
    ['m-1', 'model_unreachable'],
    ['m-2', 'model_unreachable'],
  ]);
});

test('only runs that are open, and open grants, get in', async () => {
  await credential('ada');
  const agent = await agentWith({});
  const run = runOf(world.ctx, agent, ids.ben);
  const denied = (key: string) => expect(anthropic(key).messages.countTokens({ model: 'm-1', messages: question })).rejects.toMatchObject({ status: 401 });
  for (const key of [
    world.tokens.ada,
    world.tokens.platform,
    world.tokens.agent,
    'x',
    'svc_llm_none',
    await keyOf(run, -1),
    await runKey(agent, ids.ben, { looks: true }),
  ])
    await denied(key);
  const none = await fetch(`${world.url}/llm/openai/v1/models`);
  expect([none.status, await none.json()]).toEqual([401, { error: expect.objectContaining({ code: 'model_key_invalid', type: 'authentication_error' }) }]);
  const key = await keyOf(run);
  const other = await fetch(`${world.url}/llm/openai/v1/files`, { headers: { authorization: `Bearer ${key}` } });
  expect([other.status, await other.json()]).toEqual([404, { error: expect.objectContaining({ code: 'model_gateway_unknown_path' }) }]);
  const junk = await fetch(`${world.url}/llm/anthropic/v1/messages`, { method: 'POST', headers: { 'x-api-key': key }, body: '{"model":' });
  expect([junk.status, await junk.json()]).toEqual([
    409,
    expect.objectContaining({ type: 'error', error: expect.objectContaining({ message: expect.stringContaining('no_model') }) }),
  ]);
});

verifies('platform.createLlmGrant', "is a key of the caller's model for one open run, within models, budget and rates", async () => {
  await credential('ada');
  await credential('ben', { api_key: 'sk-of-ben-0123456789abcdefgh', agent_run_budget_micros: 1_000_000 });
  const agent = await agentWith({ paid_by: 'caller_or_owner' });
  const run = runOf(world.ctx, agent, ids.ben);
  const run_token = await keyOf(run);
  const make = (more: object = {}) => world.as('platform').platform.createLlmGrant({ body: { run_token, budget_micros: 2_000, models: ['m-1'], ...more } });
  const grant = await make();
  expect(grant).toMatchObject({
    agent: agent.name,
    run_id: run.actor.run_id,
    key: expect.stringMatching(/^svc_llm_[\w-]{43}$/),
    openai_base_url: expect.stringMatching(/\/llm\/openai\/v1$/),
  });
  expect(JSON.stringify([await world.ctx.db('llm_grants'), await world.ctx.db('audit_log'), world.logs])).not.toContain(grant.key);
  const client = openai(grant.key);
  const ask = (model = 'm-1', max_tokens = 100) => client.chat.completions.create({ model, messages: question, max_tokens });
  await ask();
  expect(await uses()).toEqual([expect.objectContaining({ user_id: ids.ben, agent_name: agent.name, run_id: run.actor.run_id, cost_micros: CHAT_COST })]);
  await expect(ask('m-2')).rejects.toMatchObject({ status: 403, code: 'model_not_allowed' });
  await expect(ask('m-1', 2_000)).rejects.toMatchObject({ status: 402, code: 'llm_cap_reached' });
  // It opens models and nothing else.
  expect((await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${grant.key}` } })).status).toBe(401);
  // Nor does a forged, an expired or another agent's run open a grant.
  await expect(make({ run_token: `${run_token}x` })).rejects.toMatchObject({ status: 401, code: 'run_credential_invalid' });
  await expect(make({ run_token: await runKey(await agentWith({})) })).rejects.toMatchObject({ status: 403, code: 'models_not_declared' });
  await expect(world.as('ada').platform.createLlmGrant({ body: { run_token, budget_micros: 1 } })).rejects.toMatchObject({ status: 403 });
  for (let i = 1; i < 20; i += 1) await make();
  await expect(make()).rejects.toMatchObject({ status: 409, code: 'too_many_model_grants' });
  // The run ends, and its keys with it.
  await world.ctx.db('instances').where({ deploy_id: agent.deployId }).update({ state: 'stopped' });
  await expect(ask()).rejects.toMatchObject({ status: 401 });
});
