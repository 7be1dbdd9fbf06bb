// What an agent asks of the model gateway that is not its to have, at every operation: models that it may not
// use, what lies in the payer's account, headers that would go to the provider, requests that are nested
// without an end.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { body, KEYS, modelAttack, type ModelAttack, PATHS } from './model-attacker.ts';

let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
});
afterAll(() => it.close());
beforeEach(async () => {
  await it.lend(1_000_000_000);
  it.provider.asked.length = 0;
});

const SPELLED = 'other-1| m-1|m-1 |M-1|m-1\0|m-1\n|m\u20101|m-1\u200b|\uff4d-1|m-*|*|m-1,other-1|m-1/../other-1|other-1?m-1'.split('|');
const PREFIXED = 'claude|Claude-x|xclaude-1| claude-1|CLAUDE-1|\u0441laude-1'.split('|');
const NO_NAMES = ['', null, 1, true, ['m-1'], { id: 'm-1' }, 'm'.repeat(201)];
const OTHERS = [{ models: ['other-1'] }, { models: 'other-1' }, { fallbacks: ['other-1'] }, { fallbacks: [{ model: 'other-1' }] }];

const said = (part: object) => ({ messages: [{ role: 'user', content: [part] }], input: [{ role: 'user', content: [part] }] });
/** They name what the payer keeps at the provider. */
const STORED: object[] = [
  { previous_response_id: 'resp_1' },
  { conversation: 'conv_1' },
  { prompt: { id: 'pmpt_1' } },
  { preset: 'hers' },
  { container: 'c_1' },
  { vector_store_ids: ['vs_1'] },
  { input: [{ id: 'msg_1' }] },
  { input: [{ type: null, id: 'msg_1' }] },
  { input: [{ type: 'item_reference', id: 'msg_1' }] },
  said({ type: 'input_file', file_id: 'file_1' }),
  said({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
  said({ type: 'tool_result', content: [{ type: 'image', source: { file_id: 'f' } }] }),
];
const HOSTED = 'web_search|web_search_20260209|file_search|code_interpreter|code_execution_20250825|image_generation|mcp|openrouter:web_search|shell'.split(
  '|',
);
/** They cost more than tokens. */
const DEARER: object[] = [
  { background: true },
  { service_tier: 'priority' },
  { speed: 'fast' },
  { web_search_options: {} },
  { plugins: [{ id: 'web' }] },
  { audio: { voice: 'x' } },
  { search_parameters: { mode: 'on' } },
  { mcp_servers: [{ url: 'https://x.example' }] },
  ...HOSTED.map((type) => ({ tools: [{ type }] })),
];
const NOT_PASSED =
  'x-api-key authorization proxy-authorization api-key x-goog-api-key cookie openai-organization openai-project host forwarded x-forwarded-for x-forwarded-host via te accept-encoding content-encoding x-http-method-override'.split(
    ' ',
  );

describe.each(Object.entries(PATHS))('%s', (_name, path) => {
  test('a model that the agent or the grant may not use, in any spelling', async () => {
    const narrow = await it.token(it.run(await it.agent({ allow: ['m-1', 'claude-*'] })));
    const granted = await it.grantKey(it.run(await it.agent()), ['m-1', 'claude-*']);
    for (const key of [narrow, granted]) {
      for (const model of [...SPELLED, ...PREFIXED, ...NO_NAMES]) {
        const { status, code } = await it.ask(path, key, body(model));
        expect.soft(['403 model_not_allowed', '400 model_request_invalid'], JSON.stringify(model)).toContain(`${status} ${code}`);
      }
      for (const more of OTHERS) expect.soft(await it.ask(path, key, body('m-1', more))).toMatchObject({ status: 400, code: 'model_request_invalid' });
    }
    it.nothingAsked();
  });

  test('a model that is named twice, or beside the body, is not asked', async () => {
    const key = await it.token(it.run(await it.agent({ allow: ['m-1'] })));
    const twice = JSON.stringify(body('m-1')).replace('{', '{"model":"other-1","mo\\u0064el":"other-1",');
    expect((await it.ask(path, key, twice)).status).toBe(200);
    expect((await it.ask(path, key, twice.replace('"m-1"', '"other-1"'))).code).toBe('model_not_allowed');
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-7' };
    expect((await it.ask(`${path}?model=other-1&key=k&beta=true&api_key=k#other-1`, key, body('m-1', { user: '&model=other-2&' }), form)).status).toBe(200);
    const [first, second, ...rest] = it.provider.asked;
    expect(rest).toEqual([]);
    expect(first?.raw).not.toContain('other-1');
    expect(second?.raw).not.toContain('other-1');
    expect(second?.path).toMatch(/^\/v1\/[a-z_/]+\?beta=true$/);
    expect(second?.headers['content-type']).toBe('application/json');
  });

  test("what lies in the payer's account, and what costs more than tokens", async () => {
    const key = await it.token(it.run(await it.agent()));
    for (const more of [...STORED, ...DEARER]) {
      const { status, code } = await it.ask(path, key, body('m-1', more));
      expect.soft([status, code], JSON.stringify(more)).toEqual([400, 'model_request_invalid']);
    }
    it.nothingAsked();
    // What the agent carries out itself is its own affair.
    for (const type of ['function', 'custom', 'bash_20250124'])
      expect((await it.ask(path, key, body('m-1', { tools: [{ type, name: 'x' }], stream: false, messages: [{ role: 'tool' }], input: 'x' }))).status).toBe(
        200,
      );
  });

  test('headers: the provider sees its key, and of the agent nothing but what clients say of themselves', async () => {
    const key = await it.token(it.run(await it.agent()));
    const theirs = Object.fromEntries(NOT_PASSED.map((name) => [name, 'identity']));
    expect((await it.ask(path, undefined, body('m-1'), { ...theirs, 'x-svc-run-token': key, 'user-agent': 'tester' })).status).toBe(200);
    const [asked] = it.provider.asked;
    const { 'content-length': _length, connection: _connection, ...rest } = { ...asked?.headers };
    const credential = path.includes('anthropic') ? { 'x-api-key': KEYS.anthropic } : { authorization: `Bearer ${KEYS.openai}` };
    expect(rest).toEqual({ ...credential, host: it.provider.host, 'content-type': 'application/json', 'user-agent': 'tester' });
  });

  test('nested 10,000 and a million levels deep: refused, and the next one is served', async () => {
    const key = await it.token(it.run(await it.agent()));
    for (const levels of [10_000, 1_000_000]) {
      const [lists, objects] = [`${'['.repeat(levels)}${']'.repeat(levels)}`, `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`];
      for (const more of [`"messages":${lists}`, `"tools":[{"type":"function","function":{"parameters":${objects}}}]`, `"metadata":${objects}`]) {
        const { status, code } = await it.ask(path, key, `{"model":"m-1","max_tokens":10,"input":"x",${more}}`);
        expect.soft([status, code], more.slice(0, 20)).toEqual([400, 'model_request_invalid']);
      }
    }
    it.nothingAsked();
    expect((await it.ask(path, key, body('m-1'))).status).toBe(200);
  });
});
