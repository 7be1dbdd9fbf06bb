// An agent that would spend more of its caller's money than it may: many streams at a time, answers that are
// not read to their end, limits that the provider does not go by, text that passes for a picture.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { body, CHAT_COST, modelAttack, type ModelAttack, PATHS, QUESTION } from './model-attacker.ts';

const BUDGET = 20_000;
let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
});
afterAll(() => it.close());
beforeEach(async () => {
  for (const table of ['llm_usage', 'llm_spending', 'llm_caps', 'llm_credentials']) await it.world.ctx.db(table).delete();
  await it.lend(BUDGET);
  Object.assign(it.provider, { pace: async () => undefined, hold: undefined, words: ['Hel', 'lo'] });
  it.provider.asked.length = 0;
  vi.restoreAllMocks();
});

const uses = () => it.world.ctx.db('llm_usage').orderBy('usage_id');
/** Once all of them have ended: what they cost, and what is counted against the limits. */
async function settled() {
  await vi.waitFor(async () => expect((await uses()).map(({ state }) => state)).not.toContain('running'), 10_000);
  const caps = await it.world.ctx.db('llm_caps').orderBy('limit_micros');
  const cost = (await uses()).reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0);
  return { cost, caps: caps.map(({ limit_micros, spent_micros, reserved_micros }) => ({ limit_micros, spent_micros, reserved_micros })) };
}
/** A request that its sender gives up when so much has come. */
async function begun(path: string, key: string, sent: object): Promise<() => Promise<void>> {
  const gone = new AbortController();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const asked = fetch(it.world.url + path, { method: 'POST', headers, body: JSON.stringify(sent), signal: gone.signal });
  const came = it.provider.asked.length;
  const answer = asked.then((response) => response.body?.getReader().read()).catch(() => undefined);
  await vi.waitFor(() => expect(it.provider.asked.length).toBeGreaterThan(came));
  return async () => {
    gone.abort();
    await answer;
  };
}

test('streams that race, a third of them given up in the middle, spend no more than the run may; each is charged', async () => {
  const run = it.run(await it.agent({ run_budget_micros: BUDGET / 2 }));
  const child = it.run(await it.agent(), { root_run_id: run.actor.run_id, parent_run_id: run.actor.run_id });
  const keys = [await it.token(run), await it.token(child)];
  const release = Promise.withResolvers<void>();
  it.provider.pace = () => release.promise;
  const given = new AbortController();
  const outcomes = Array.from({ length: 90 }, async (_one, at) => {
    const headers = { authorization: `Bearer ${keys[at % 2]}`, 'content-type': 'application/json' };
    const signal = at % 3 === 0 ? given.signal : null;
    const asked = { ...body('m-1'), stream: true, max_tokens: 100 };
    const response = await fetch(it.world.url + PATHS.chat, { method: 'POST', headers, body: JSON.stringify(asked), signal });
    await response.text();
    return response.status;
  });
  const all = Promise.allSettled(outcomes);
  // All that is left is reserved: then some go, and the others end.
  await vi.waitFor(async () => expect((await uses()).length).toBeGreaterThan(9));
  await vi.waitFor(() => expect(it.world.logs.join('')).toContain('llm_cap_reached'));
  given.abort();
  await vi.waitFor(async () => expect((await uses()).some(({ state }) => state === 'cancelled')).toBe(true));
  release.resolve();
  const statuses = (await all).map((one) => (one.status === 'fulfilled' ? one.value : 0));
  expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([0, 200, 402]);
  const { cost, caps } = await settled();
  expect(caps.map(({ reserved_micros }) => reserved_micros)).toEqual([0, 0]);
  for (const { limit_micros, spent_micros } of caps) expect(spent_micros).toBeLessThanOrEqual(limit_micros);
  // The caller's counts what both runs spent.
  expect(caps.at(-1)).toMatchObject({ limit_micros: BUDGET, spent_micros: cost });
  for (const use of await uses())
    expect(use).toMatchObject(use.state === 'ok' ? { cost_micros: CHAT_COST } : { state: 'cancelled', estimated: true, cost_micros: expect.any(Number) });
  expect((await uses()).filter(({ cost_micros }) => (cost_micros ?? 0) < 1)).toEqual([]);
});

test('an answer that is given up before a word of it came is charged as far as it may have been made', async () => {
  const key = await it.token(it.run(await it.agent()));
  const release = Promise.withResolvers<void>();
  Object.assign(it.provider, { words: ['', 'late'], pace: () => release.promise });
  const thinking = await begun(PATHS.chat, key, { model: 'm-1', messages: QUESTION, stream: true, max_tokens: 500 });
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 3_000);
  await thinking();
  expect((await settled()).cost).toBeGreaterThanOrEqual(3_000);
  expect(await uses()).toMatchObject([{ state: 'cancelled', estimated: true }]);
  const { output_tokens = 0 } = (await uses())[0] ?? {};
  expect(output_tokens).toBeGreaterThanOrEqual(300);
  expect(output_tokens).toBeLessThanOrEqual(500);
  release.resolve();
});

test('a complete answer whose reader left is charged in full', async () => {
  const key = await it.token(it.run(await it.agent()));
  const never = Promise.withResolvers<void>();
  it.provider.hold = never.promise;
  for (const path of [PATHS.chat, PATHS.messages, PATHS.responses])
    await (
      await begun(path, key, { ...body('m-1'), max_tokens: 300, max_output_tokens: 300 })
    )();
  await settled();
  expect((await uses()).map(({ state, output_tokens }) => [state, output_tokens])).toEqual([
    ['cancelled', 300],
    ['cancelled', 300],
    ['cancelled', 300],
  ]);
  it.provider.hold = undefined;
  never.resolve();
});

test('the limit that is reserved is the one that the provider goes by, under whichever name it came', async () => {
  const key = await it.token(it.run(await it.agent()));
  const ask = (more: object) => it.ask(PATHS.chat, key, { model: 'm-1', messages: QUESTION, ...more });
  for (const more of [{ max_completion_tokens: 1, max_tokens: 50_000 }, { max_completion_tokens: 50_000, max_tokens: 1 }, { max_tokens: 500, n: 100 }, {}])
    expect.soft(await ask(more), JSON.stringify(more)).toMatchObject({ status: 402, code: 'llm_cap_reached' });
  for (const max_tokens of [-1, 0, 1.5, '1', 1e300]) expect.soft((await ask({ max_tokens })).code).toBe('model_request_invalid');
  it.nothingAsked();
  for (const more of [
    { max_completion_tokens: 7 },
    { max_tokens: 7 },
    { max_completion_tokens: 5, max_tokens: 7 },
    { max_completion_tokens: null, max_tokens: 7 },
  ])
    expect((await ask(more)).status).toBe(200);
  expect(it.provider.asked.map(({ body: { max_tokens, max_completion_tokens } }) => [max_tokens, max_completion_tokens])).toEqual(
    Array.from({ length: 4 }, () => [7, undefined]),
  );
});

test('text is reserved for as text, whatever it passes for; a picture where pictures stand costs what a picture does', async () => {
  const key = await it.token(it.run(await it.agent()));
  const long = `data:image/png;base64,${'a '.repeat(50_000)}`;
  const content = (...parts: object[]) => ({ messages: [{ role: 'user', content: parts }] });
  const tool = (parameters: object) => ({
    messages: QUESTION,
    tools: [{ type: 'function', name: 'x', input_schema: parameters, function: { name: 'x', parameters } }],
  });
  const texts = [
    { messages: [{ role: 'user', content: long }] },
    content({ type: 'text', text: long }),
    content({ type: 'text', text: 'x', image_url: { url: long } }),
    content({ type: 'image', source: {}, text: long }),
    content({ type: 'document', source: { type: 'text', data: long } }),
    { messages: QUESTION, system: long },
    tool({ type: 'image', source: {}, description: long }),
    tool({ type: 'image_url', image_url: { url: long } }),
    tool({ data: long }),
    tool({ [long]: 1 }),
    content({ type: 'tool_use', id: 't', name: 'x', input: { content: [{ type: 'image', source: { type: 'base64', data: long } }] } }),
    content({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: long } }),
  ];
  for (const path of [PATHS.chat, PATHS.messages]) {
    for (const more of texts)
      expect
        .soft(await it.ask(path, key, { model: 'm-1', max_tokens: 10, ...more }), JSON.stringify(more).slice(0, 120))
        .toMatchObject({ status: 402, code: 'llm_cap_reached' });
  }
  it.nothingAsked();
  const picture = `data:image/png;base64,${'A'.repeat(100_000)}`;
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(100_000) };
  expect((await it.ask(PATHS.chat, key, { model: 'm-1', max_tokens: 10, ...content({ type: 'image_url', image_url: { url: picture } }) })).status).toBe(200);
  expect(
    (
      await it.ask(PATHS.messages, key, {
        model: 'm-1',
        max_tokens: 10,
        ...content({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source }] }),
      })
    ).status,
  ).toBe(200);
});
