// Both wires against a vendor on this machine: what it says well, and all the ways in which it does not.
import { readFile } from 'node:fs/promises';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tlsService } from '#test/support/tls.ts';
import { languageModels } from './models.ts';
import { ModelError, type ModelPart, type ModelProtocol, type ModelRequest, type ModelTarget } from './port.ts';
import { ANSWER, startVendor, type Behaviour, type Vendor } from './test/vendor.ts';

const KEY = 'sk-test-0123456789abcdef';
let vendor: Vendor;
let models: ReturnType<typeof languageModels>;
beforeAll(async () => {
  vendor = await startVendor();
  models = languageModels({ localHosts: [vendor.host, 'localhost:1'], silenceMs: 400, maxBytes: 2_000_000 });
});
beforeEach(() => void (vendor.next = []));
afterAll(async () => {
  await models.close();
  await vendor.close();
});

const target = (protocol: ModelProtocol, more: Partial<ModelTarget> = {}): ModelTarget => ({
  protocol,
  baseUrl: vendor.url,
  apiKey: KEY,
  model: 'm-1',
  ...more,
});
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', text: 'hello' }],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  timeoutMs: 5_000,
  ...more,
});
const lastAsked = () => {
  const asked = vendor.asked.at(-1);
  if (!asked) throw new Error('nothing was asked');
  return asked;
};
async function failure(protocol: ModelProtocol, behaviour: Behaviour, more: Partial<ModelRequest> = {}): Promise<ModelError> {
  vendor.next = [behaviour];
  const error: unknown = await models.generate(target(protocol), request(more)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ModelError)) throw new Error(`not a ModelError: ${String(error)}`);
  expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(KEY);
  return error;
}

describe.each(['openai', 'anthropic'] as const)('%s', (protocol) => {
  test('text comes piece by piece, then the end with what was counted', async () => {
    const parts: ModelPart[] = [];
    for await (const part of models.stream(target(protocol), request())) parts.push(part);
    expect(parts).toEqual([
      ...ANSWER.map((text) => ({ type: 'text', text })),
      { type: 'end', reason: 'stop', usage: { inputTokens: 100, cachedInputTokens: 40, cacheWriteTokens: 0, outputTokens: 20 } },
    ]);
    const { headers, body, path } = lastAsked();
    expect(body).toMatchObject({ model: 'm-1', stream: true, max_tokens: 100 });
    if (protocol === 'openai') expect([path, headers.authorization]).toEqual(['/v1/chat/completions', `Bearer ${KEY}`]);
    else expect([path, headers['x-api-key'], headers['anthropic-version']]).toEqual(['/v1/messages', KEY, '2023-06-01']);
  });

  test('tools are offered, called in pieces, and their results sent back', async () => {
    vendor.next = [{ tool: { name: 'find', arguments: ['{"qu', 'ery": "a', 'b"}'] } }];
    const tools = [{ name: 'find', description: 'Finds', input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] } }];
    const first = await models.generate(target(protocol), request({ tools }));
    expect(first).toMatchObject({ text: '', toolCalls: [{ id: 'call_1', name: 'find', input: { query: 'ab' } }], reason: 'tool_calls' });
    expect(JSON.stringify(lastAsked().body.tools)).toContain('"query"');
    const second = await models.generate(
      target(protocol),
      request({
        tools,
        messages: [
          { role: 'system', text: 'be brief' },
          { role: 'user', text: 'find ab' },
          { role: 'assistant', text: 'I look', toolCalls: first.toolCalls },
          { role: 'tool', callId: 'call_1', name: 'find', output: { found: ['x'] } },
          { role: 'user', text: 'lone \ud800 half' },
        ],
      }),
    );
    expect(second.text).toBe(ANSWER.join(''));
    const sent = JSON.stringify(lastAsked().body);
    for (const piece of ['be brief', 'I look', 'call_1', 'found']) expect(sent).toContain(piece);
    expect(sent).not.toContain('\\ud800');
  });

  test('a model that answers no JSON as arguments has not answered', async () => {
    expect((await failure(protocol, { tool: { name: 'find', arguments: ['{"query": '] } })).code).toBe('bad_answer');
  });

  test.each([
    ['a wrong key', { status: 401, body: `{"error":{"message":"Incorrect API key provided: ${KEY}","type":"authentication_error"}}` }, 'auth'],
    ['no money', { status: 429, body: '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}' }, 'auth'],
    ['too long', { status: 400, body: '{"error":{"message":"maximum context length is 8192","code":"context_length_exceeded"}}' }, 'context_length'],
    [
      'too long (Anthropic)',
      { status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}' },
      'context_length',
    ],
    ['no such model', { status: 404, body: '{"error":{"message":"The model does not exist"}}' }, 'model_not_found'],
    ['overloaded', { status: 529, body: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' }, 'overloaded'],
    ['broken', { status: 500, body: 'oops' }, 'overloaded'],
    ['an HTML page', { status: 502, body: '<html>Bad gateway</html>' }, 'overloaded'],
  ] as const)('%s: %#', async (_, behaviour, code) => {
    expect((await failure(protocol, behaviour)).code).toBe(code);
  });

  test('a refusal is shown in the vendor’s words, cut, without the key', async () => {
    const error = await failure(protocol, { status: 400, body: `{"error":{"message":"tools[0] is wrong ${KEY} Bearer abcdefghij ${'x'.repeat(5_000)}"}}` });
    expect(error.code).toBe('bad_request');
    expect(error.message).toContain('tools[0] is wrong [key] [key]');
    expect(error.message.length).toBeLessThan(500);
  });

  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after-ms': '1500' }, 2],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('too many requests says when to come back: %o', async (headers, seconds) => {
    const error = await failure(protocol, { status: 429, body: '{"error":{"message":"slow down","type":"rate_limit_error"}}', headers: { ...headers } });
    expect([error.code, error.retryAfterSeconds]).toEqual(['rate_limited', seconds]);
  });

  test.each([
    ['reset', 'bad_answer'],
    ['ends', 'bad_answer'],
    ['junk', 'bad_answer'],
    ['error', 'overloaded'],
    ['silent', 'timeout'],
    ['endless', 'bad_answer'],
  ] as const)('an answer that breaks off (%s) is an error, after what was said', async (breaks, code) => {
    for (const after of ['so far', undefined]) {
      vendor.next = [{ breaks, ...(after === undefined ? {} : { after }) }];
      let said = '';
      const reading = (async () => {
        for await (const part of models.stream(target(protocol), request())) if (part.type === 'text' && (said += part.text) === after) vendor.reset();
      })();
      await expect(reading, String(after)).rejects.toMatchObject({ name: 'ModelError', code });
      expect(said).toBe(after ?? '');
    }
  });

  test('a vendor that never answers is a timeout, also when the whole answer is', async () => {
    expect((await failure(protocol, { never: true })).code).toBe('timeout');
    expect((await failure(protocol, { never: true }, { timeoutMs: 50 })).code).toBe('timeout');
  });

  test('a caller that is cancelled or leaves ends the request at the vendor', async () => {
    const [before, asked] = [vendor.left, vendor.asked.length];
    const caller = new AbortController();
    const failed = failure(protocol, { never: true }, { signal: caller.signal });
    await expect.poll(() => vendor.asked.length).toBe(asked + 1);
    caller.abort();
    expect((await failed).code).toBe('cancelled');
    expect((await failure(protocol, { never: true }, { signal: AbortSignal.abort() })).code).toBe('cancelled');
    vendor.next = [{ breaks: 'silent', after: 'one' }];
    for await (const part of models.stream(target(protocol), request())) if (part.type === 'text') break;
    await expect.poll(() => vendor.left).toBe(before + 2);
  });

  test('redirects are not followed, and a closed port is unreachable', async () => {
    expect((await failure(protocol, { redirect: 'http://127.0.0.1:1/' })).code).toBe('unreachable');
    await expect(models.generate(target(protocol, { baseUrl: 'http://localhost:1/v1' }), request())).rejects.toMatchObject({ code: 'unreachable' });
  });
});

test('an endpoint without a key gets none, whatever the environment holds; one that does not count is not counted for', async () => {
  vendor.next = [{ text: ['a'], count: false }];
  const answer = await models.generate(target('openai', { apiKey: null }), request());
  expect([answer.usage, lastAsked().headers.authorization]).toEqual([null, undefined]);
  process.env.ANTHROPIC_API_KEY = 'sk-of-the-operator';
  try {
    await models.generate(target('anthropic', { apiKey: null }), request());
    expect(JSON.stringify(lastAsked().headers)).not.toContain('sk-of-the-operator');
  } finally {
    delete process.env.ANTHROPIC_API_KEY;
  }
});

test('a name that leads inside is refused when it is connected to, wherever it led when it was looked at', async () => {
  const seen = vendor.asked.length;
  const said = new Set<string>();
  for (const address of ['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', '::ffff:127.0.0.1', undefined]) {
    // Undefined: the name service knows no such name.
    const strict = languageModels({ lookup: async () => (address === undefined ? Promise.reject(new Error('ENOTFOUND')) : [address]) });
    const refused: unknown = await strict.generate(target('openai', { baseUrl: 'https://models.example.com/v1' }), request()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'unreachable' });
    if (refused instanceof ModelError) said.add(refused.message);
    await strict.close();
  }
  expect([...said]).toEqual([expect.not.stringContaining('models.example.com')]);
  const blind = languageModels();
  await expect(blind.generate(target('openai'), request())).rejects.toMatchObject({ code: 'unreachable' });
  await blind.close();
  // One that may come is the first to.
  vendor.next = [];
  await models.generate(target('openai'), request());
  expect(vendor.asked.length).toBe(seen + 1);
});

test('over TLS the name is proven, while the connection goes to the address that was judged', async () => {
  const service = await tlsService('models.example.com', (_, response) => void response.writeHead(404).end('{}'));
  try {
    const ca = await readFile(service.caFile, 'utf8');
    const host = `models.example.com:${service.port}`;
    const outcome = async (more: object, named = host) => {
      const some = languageModels({ localHosts: [named], lookup: async () => ['127.0.0.1'], ...more });
      const error: unknown = await some.generate(target('openai', { baseUrl: `https://${named}/v1` }), request()).catch((thrown: unknown) => thrown);
      await some.close();
      return error instanceof ModelError ? error.code : error;
    };
    expect(await outcome({ ca })).toBe('model_not_found');
    expect(await outcome({})).toBe('unreachable');
    expect(await outcome({ ca }, `other.example.com:${service.port}`)).toBe('unreachable');
  } finally {
    await service.close();
  }
});

test('OpenAI itself gets its newer name of the bound, which its models insist on', async () => {
  const bodies: unknown[] = [];
  const service = await tlsService(
    'api.openai.com',
    (asked, response) => void json(asked).then((body) => bodies.push(body) && response.writeHead(404).end('{}')),
  );
  const host = `api.openai.com:${service.port}`;
  const some = languageModels({ localHosts: [host], lookup: async () => ['127.0.0.1'], ca: await readFile(service.caFile, 'utf8') });
  await expect(some.generate(target('openai', { baseUrl: `https://${host}/v1` }), request())).rejects.toMatchObject({ code: 'model_not_found' });
  expect(bodies).toEqual([expect.objectContaining({ max_completion_tokens: 100, stream_options: { include_usage: true } })]);
  expect(bodies).not.toEqual([expect.objectContaining({ max_tokens: 100 })]);
  await some.close();
  await service.close();
});

describe('addresses', () => {
  test.each([
    'https://api.example.com/v1',
    'https://models.example.com:8443/v1',
    'https://8.8.8.8/v1',
    'http://127.0.0.1:11434/v1',
    'http://gpu.internal/v1',
    'https://[::1]:9000/v1',
  ])('%s may be named', (url) => {
    expect(languageModels({ localHosts: ['127.0.0.1:11434', 'gpu.internal', '[::1]:9000'] }).checkAddress(url)).toBeUndefined();
  });
  test.each([
    'http://api.example.com/v1',
    'https://localhost/v1',
    'https://db/v1',
    'https://127.0.0.1/v1',
    'https://2130706433/v1',
    'https://0x7f.1/v1',
    'https://[::ffff:127.0.0.1]/v1',
    'https://169.254.169.254/latest',
    'https://a:b@api.example.com/v1',
    'https://api.example.com/v1?x=1',
    'file:///etc/passwd',
    'api.example.com',
    'http://127.0.0.1:11435/v1',
  ])('%s may not', (url) => {
    expect(languageModels({ localHosts: ['127.0.0.1:11434'] }).checkAddress(url)).toEqual(expect.any(String));
  });
});
