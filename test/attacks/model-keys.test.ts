// Keys of models where a provider says them again: in no answer, no line of the log, no row of any table, no
// trace.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureRun } from '#core/kernel/ensure-run.ts';
import { inTx } from '#core/kernel/tx.ts';
import { readTrace } from '#core/runs/trace/read.ts';
import { userActor } from '../support/verbs.ts';
import { type Answer, KEYS, modelAttack, type ModelAttack, PATHS, QUESTION } from './model-attacker.ts';

let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
  await it.lend(100_000_000);
});
afterAll(() => it.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const otherwise = (key: string): Record<string, string> => ({
  base64: Buffer.from(`Bearer ${key}`).toString('base64'),
  hexadecimal: Buffer.from(key).toString('hex'),
  escaped: Array.from(key, (one) => String.raw`\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join(''),
});
/** All that the key can be read from. */
const readable = (answer: string): string[] => [
  answer,
  answer.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  ...Array.from(answer.matchAll(/[A-Za-z0-9+/=]{20,}/g), ([one]) => Buffer.from(one, 'base64').toString('latin1')),
  ...Array.from(answer.matchAll(/[0-9a-f]{20,}/g), ([one]) => Buffer.from(one, 'hex').toString('latin1')),
];
/** What a provider with this key says, with the key wherever it may stand. */
const echoes = (key: string): Record<string, { status: number; body: string; headers?: Record<string, string> }> => {
  const said = JSON.stringify({
    type: 'error',
    error: { message: `Incorrect API key provided: ${key}.`, type: 'invalid_request_error', param: key, code: key },
  });
  const inHeaders = {
    'x-request-id': key,
    'request-id': `req_${key}`,
    'retry-after': '0',
    'openai-model': key,
    'www-authenticate': `Bearer ${key}`,
    'set-cookie': `k=${key}`,
  };
  const chunk = {
    id: key,
    object: 'chat.completion.chunk',
    created: 1,
    model: key,
    choices: [{ index: 0, delta: { content: `Your key is ${key}` }, finish_reason: null }],
  };
  const events = [`data: ${JSON.stringify(chunk)}`, `: ${key}`, `event: error\ndata: ${said}`, `id: ${key}`, `data: ${key}`, key];
  return {
    ...Object.fromEntries(
      [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 529].map((status) => [
        `status ${status}`,
        { status, body: said, headers: { ...JSON_TYPE, ...inHeaders } },
      ]),
    ),
    'a refusal that is cut in the middle of the key': { status: 400, body: `${'x'.repeat(65_536 - key.length + 1)}${key}` },
    'a whole answer': {
      status: 200,
      body: JSON.stringify({ id: key, choices: [{ message: { content: key } }], content: [{ type: 'text', text: key }], input_tokens: key }),
      headers: { ...JSON_TYPE, ...inHeaders },
    },
    'no JSON': { status: 200, body: `Hello ${key}`, headers: { 'content-type': `text/plain; key=${key}` } },
    'a stream': { status: 200, body: events.join('\n\n'), headers: { 'content-type': 'text/event-stream' } },
    // As a debugging endpoint shows what it was sent; what a reader of JSON makes of escapes is the key
    // itself.
    ...Object.fromEntries(
      Object.entries(otherwise(key)).flatMap(([how, written]) => {
        const content = `"Your headers: ${written}"`;
        const whole = `{"id":"x","choices":[{"message":{"content":${content}}}],"content":[{"type":"text","text":${content}}],"input_tokens":${content}}`;
        const event = `{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":${content}},"finish_reason":null}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`;
        return Object.entries({
          refused: { status: 400, body: `{"error":{"message":${content}}}`, headers: JSON_TYPE },
          whole: { status: 200, body: whole, headers: { ...JSON_TYPE, 'x-request-id': how === 'escaped' ? 'x' : written } },
          streamed: { status: 200, body: `: ${written}\n\ndata: ${event}\n\nid: ${written}\n\n`, headers: { 'content-type': 'text/event-stream' } },
        }).map(([where, said]) => [`${where}, ${how}`, said]);
      }),
    ),
    compressed: { status: 200, body: JSON.stringify({ input_tokens: key }), headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } },
    'another address': { status: 302, body: key, headers: { location: `https://elsewhere.example/?key=${key}` } },
  };
};

/** Rows of all tables that hold it, as text or as the bytes of one. */
async function rowsWith(wanted: string): Promise<string[]> {
  const { db, drivers } = it.world.ctx;
  await drivers.traces.flush();
  const { rows: tables } = await db.raw<{ rows: { schema: string; name: string }[] }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { schema, name } of tables) {
    const like = [`%${wanted}%`, `%${Buffer.from(wanted).toString('hex')}%`];
    const { rows } = await db.raw<{ rows: { n: number }[] }>('select count(*)::int as n from ??.?? r where r::text like ? or r::text like ?', [
      schema,
      name,
      ...like,
    ]);
    if ((rows[0]?.n ?? 0) > 0) found.push(name);
  }
  return found;
}

test.each(['chat', 'responses', 'embeddings', 'messages', 'countTokens'] as const)('%s: a provider that says the key', async (operation) => {
  const { world, provider } = it;
  const key = operation === 'messages' || operation === 'countTokens' ? KEYS.anthropic : KEYS.openai;
  const agent = await it.agent({ retries: 1, fallbacks: { 'm-1': ['m-2'] }, allow: ['m-1'] });
  const run = it.run(agent);
  await inTx(run, (ctx) => ensureRun(ctx));
  const token = await it.token(run);
  const answers: Record<string, Answer> = {};
  for (const [what, said] of Object.entries(echoes(key))) {
    for (const stream of [false, true]) {
      // Tried once more, it is the same.
      provider.next = [said, said];
      const body = { model: 'm-1', max_tokens: 10, messages: QUESTION, input: 'Where am I?', stream };
      answers[`${what}, ${stream}`] = await it
        .ask(PATHS[operation], token, body)
        .catch((error: unknown) => ({ status: 0, whole: String(error), code: undefined }));
    }
  }
  // So many came to it, each with the key.
  expect(
    provider.asked.filter(({ headers }) => [headers.authorization, headers['x-api-key']].some((sent) => sent?.includes(key))).length,
  ).toBeGreaterThanOrEqual(2 * Object.keys(echoes(key)).length);
  provider.next = [];
  // Its ends are shown to its owner, and are in prefixes of all keys.
  const secret = key.slice(3, -4);
  for (const [what, { whole }] of Object.entries(answers)) for (const text of readable(whole)) expect.soft(text, what).not.toContain(secret);
  expect(answers['status 400, false']?.whole).toContain('[key]');
  expect(world.logs.join('')).toContain(run.actor.run_id);
  expect(world.logs.join('')).not.toContain(secret);
  const ada = { ...world.ctx, actor: userActor(it.ada, 'ada') };
  const trace = await readTrace(ada, { run_id: run.actor.run_id });
  if (operation !== 'countTokens') expect(trace.spans.length).toBeGreaterThan(Object.keys(echoes(key)).length);
  expect(JSON.stringify(trace)).not.toContain(secret);
  const usage = await world.as('ada').llmUsage.list({ query: { limit: 100 } });
  expect(JSON.stringify(usage)).not.toContain(secret);
  expect(await rowsWith(run.actor.run_id)).toContain('runs');
  expect(await rowsWith(secret)).toEqual([]);
  expect((await it.ask(PATHS[operation], token, { model: 'm-1', max_tokens: 10, messages: QUESTION, input: 'x' })).status).toBe(200);
});
