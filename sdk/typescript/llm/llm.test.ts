// ctx.llm in an agent: on both wires against a provider on this machine, with the developer's own key, and by
// a script.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startProvider, type Provider } from '../../../test/support/provider/provider.ts';
import { CONTEXT_METHODS } from '../../../contract/wire/context-methods.ts';
import type { ContextMethod } from '../../../contract/wire/worker.ts';
import { ContextCalls } from '../sidecar/context-calls.ts';
import { fromWorker, toWorker } from '../sidecar/errors.ts';
import { Agent, CancelledByCaller, ModelAnswerInvalid, ModelFailed, skill, SvcError, z, type LlmStream, type RunContext } from '../index.ts';
import { testAgent, type LlmScript, type TestResult } from '../testing.ts';

type Work = (ctx: RunContext) => Promise<unknown>;

/** Runs what a test gives it, as a skill. */
class Asker extends Agent {
  name = 'asker';
  description = 'Asks models.';
  version = '1.0.0';
  work: Work = async () => null;
  go = skill({ description: 'Asks.', stream: true }, async (ctx) => await this.work(ctx));
}

async function inSkill(work: Work, llm?: LlmScript, signal?: AbortSignal): Promise<TestResult<unknown>> {
  const agent = testAgent(Asker, llm ? { llm } : {});
  agent.agent.work = work;
  return await agent.invoke('go', {}, signal ? { signal } : {}).finally(() => agent.shutdown());
}
const resultOf = async (work: Work, llm?: LlmScript): Promise<unknown> => (await inSkill(work, llm)).result;
/** A skill that catches nothing shows its caller the same. */
const failureOf = async (work: Work, llm?: LlmScript): Promise<unknown> => await inSkill(work, llm).catch((error: unknown) => error);

const Order = z.object({ item: z.enum(['tea', 'coffee']), cups: z.int().min(1) });
const tools = [{ name: 'look_up', description: 'Looks up a city.', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }];

let provider: Provider;
beforeAll(async () => void (provider = await startProvider()));
afterAll(() => provider.close());
beforeEach(() => {
  provider.asked.length = 0;
  provider.left = 0;
  provider.words = ['Hel', 'lo, ', 'wörld ', '🙂'];
  provider.pace = async () => undefined;
  for (const [name, value] of Object.entries({
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'sk-own',
    ANTHROPIC_BASE_URL: provider.url.replace(/\/v1$/, ''),
    ANTHROPIC_API_KEY: 'sk-ant-own',
  }))
    vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

const USAGE = { inputTokens: 100, cachedInputTokens: 40, outputTokens: 20 };
describe.each(['gpt-5.5', 'claude-sonnet-5'])('%s', (model) => {
  it('answers whole and in pieces with the same text, usage and end', async () => {
    const whole = await resultOf((ctx) => ctx.llm.generate('say hi', { model, system: 'Be kind.', maxTokens: 50, temperature: 0.5 }));
    expect(whole).toEqual({ text: 'Hello, wörld 🙂', toolCalls: [], finishReason: 'stop', usage: USAGE, model });
    const streamed = await inSkill(async (ctx) => {
      const stream = ctx.llm.stream('say hi', { model });
      for await (const delta of stream) await ctx.emitTextDelta(delta);
      return await stream.result();
    });
    expect(streamed.result).toEqual(whole);
    expect(streamed.events.flatMap(({ kind, payload }) => (kind === 'text_delta' ? [payload['text']] : []))).toEqual(provider.words);
    expect(provider.asked[0]?.body).toMatchObject({ model, temperature: 0.5 });
    expect(JSON.stringify(provider.asked[0]?.body)).toContain('Be kind.');
    expect(provider.asked[0]?.headers).toMatchObject(model.startsWith('claude') ? { 'x-api-key': 'sk-ant-own' } : { authorization: 'Bearer sk-own' });
  });

  it('asks for tools, and takes what they gave', async () => {
    const [whole, streamed] = (await resultOf(async (ctx) => [
      await ctx.llm.generate('Where?', { model, tools }),
      await ctx.llm.stream('Where?', { model, tools }).result(),
    ])) as [unknown, unknown];
    const id = model.startsWith('claude') ? 'toolu_1' : 'call_1';
    expect(whole).toMatchObject({ finishReason: 'tool_calls', toolCalls: [{ id, name: 'look_up', arguments: { city: 'Łódź' } }] });
    expect(streamed).toEqual(whole);
    await resultOf((ctx) =>
      ctx.llm.generate(
        [
          { role: 'user', content: 'Where?' },
          { role: 'assistant', content: '', toolCalls: [{ id, name: 'look_up', arguments: { city: 'Łódź' } }] },
          { role: 'tool', toolCallId: id, content: '51.77 N' },
          { role: 'user', content: 'Sure?' },
        ],
        { model, tools },
      ),
    );
    const messages = z.array(z.unknown()).parse(provider.asked.at(-1)?.body['messages']);
    expect(messages.slice(1)).toEqual(
      model.startsWith('claude')
        ? [
            { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look_up', input: { city: 'Łódź' } }] },
            {
              role: 'user',
              content: [
                { type: 'tool_result', tool_use_id: id, content: '51.77 N' },
                { type: 'text', text: 'Sure?' },
              ],
            },
          ]
        : [
            { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'look_up', arguments: '{"city":"Łódź"}' } }] },
            { role: 'tool', tool_call_id: id, content: '51.77 N' },
            { role: 'user', content: 'Sure?' },
          ],
    );
  });

  it('is left by a reader who leaves, and when the run is stopped', async () => {
    provider.pace = () => new Promise(() => undefined);
    const left = (await resultOf(async (ctx) => {
      const stream = ctx.llm.stream('say hi', { model });
      for await (const _ of stream) break;
      return await stream.result().catch((error: unknown) => (error instanceof ModelFailed ? error.modelCode : error));
    })) as unknown;
    expect(left).toBe('model_stream_left');
    await vi.waitFor(() => expect(provider.left).toBe(1));
    const stop = new AbortController();
    const stopped = inSkill(
      async (ctx) => {
        for await (const _ of ctx.llm.stream('say hi', { model })) stop.abort();
      },
      undefined,
      stop.signal,
    );
    await expect(stopped).rejects.toThrow(CancelledByCaller);
    await vi.waitFor(() => expect(provider.left).toBe(2));
  });

  it('is left while it waits for a word, and when the run has ended', async () => {
    provider.pace = () => new Promise(() => undefined);
    let unread: LlmStream | undefined;
    await resultOf(async (ctx) => {
      const pieces = ctx.llm.stream('say hi', { model })[Symbol.asyncIterator]();
      await pieces.next();
      const waiting = pieces.next().catch((error: unknown) => error);
      await pieces.return?.();
      expect(await waiting).toMatchObject({ modelCode: 'model_stream_left' });
      unread = ctx.llm.stream('say hi', { model });
      await unread[Symbol.asyncIterator]().next();
    });
    await vi.waitFor(() => expect(provider.left).toBe(2));
    await expect(unread?.result()).rejects.toThrow('the run is over');
  });

  it('fails with the code and words of who refused', async () => {
    const body = model.startsWith('claude')
      ? { type: 'error', error: { type: 'billing_error', message: "the caller's budget is spent (llm_cap_reached)" } }
      : { error: { message: "the caller's budget is spent", code: 'llm_cap_reached', type: 'billing_error' } };
    provider.next.push({ status: 402, body: JSON.stringify(body) });
    const error = await failureOf((ctx) => ctx.llm.generate('say hi', { model }));
    expect(error).toMatchObject({ code: 'model_failed', modelCode: 'llm_cap_reached', modelStatus: 402, message: "the caller's budget is spent" });
    provider.next.push({ status: 502, body: 'no bread' });
    expect(await failureOf((ctx) => ctx.llm.stream('say hi', { model }).result())).toMatchObject({ modelCode: 'model_refused', modelStatus: 502 });
  });
});

describe('an answer that breaks off', () => {
  const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
  it.each([
    ['gpt-5.5', event({ choices: [{ delta: { content: 'Hel' } }] }), 'model_broke_off'],
    ['gpt-5.5', event({ choices: [{ delta: { content: 'Hel' } }] }) + event({ error: { message: 'overloaded', code: 'busy' } }), 'busy'],
    ['gpt-5.5', 'data: {"choices"\n\n', 'model_bad_answer'],
    ['claude-x', event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }), 'model_broke_off'],
    ['claude-x', event({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } }), 'overloaded_error'],
  ])('of %s is no answer: %j', async (model, body, modelCode) => {
    provider.next.push({ status: 200, body, headers: { 'content-type': 'text/event-stream' } });
    expect(await failureOf((ctx) => ctx.llm.stream('say hi', { model }).result())).toMatchObject({ code: 'model_failed', modelCode });
  });
});

describe('object', () => {
  it('gives a checked value, asked for by its schema', async () => {
    provider.words = ['{"item":"tea",', '"cups":2}'];
    expect(await resultOf((ctx) => ctx.llm.object(Order, 'two teas', { model: 'gpt-5.5' }))).toEqual({ item: 'tea', cups: 2 });
    expect(provider.asked[0]?.body).toMatchObject({ response_format: { type: 'json_schema', json_schema: { schema: { required: ['item', 'cups'] } } } });
    // This provider calls the tool it is given with a city.
    expect(await resultOf((ctx) => ctx.llm.object(z.object({ city: z.string() }), 'where?', { model: 'claude-x' }))).toEqual({ city: 'Łódź' });
    expect(provider.asked[1]?.body).toMatchObject({ tool_choice: { type: 'tool', name: 'answer' } });
    const stream = await resultOf((ctx) => ctx.llm.stream('where?', { model: 'claude-x', schema: { type: 'object' } }).result());
    expect(stream).toMatchObject({ text: '{"city":"Łódź"}', finishReason: 'stop', toolCalls: [] });
  });

  it('asks once more with what is wrong, then says it', async () => {
    const wrong = { json: { item: 'milk', cups: 0 } };
    const seen: string[] = [];
    const script: LlmScript = ({ messages }) => {
      seen.push(messages.map(({ content }) => content).join(' | '));
      return seen.length === 1 ? wrong : '```json\n{"item":"coffee","cups":1}\n```';
    };
    expect(await resultOf((ctx) => ctx.llm.object(Order, 'milk'), script)).toEqual({ item: 'coffee', cups: 1 });
    expect(seen[1]).toMatch(/^milk \| \{"item":"milk","cups":0\} \| This does not fit the schema: item: .*; cups: /);
    const failed = await failureOf((ctx) => ctx.llm.object(Order, 'milk'), ['no', wrong]);
    expect(failed).toBeInstanceOf(ModelAnswerInvalid);
    expect(failed).toMatchObject({ code: 'model_answer_invalid', issues: [{ path: ['item'] }, { path: ['cups'] }] });
  });

  it('takes lists, JSON Schema, and schemas of other libraries that say themselves', async () => {
    const schemas: unknown[] = [];
    const script =
      (json: unknown): LlmScript =>
      ({ schema }) => {
        schemas.push(schema);
        return { json };
      };
    expect(await resultOf((ctx) => ctx.llm.object(z.array(z.int()), 'count'), script({ value: [1, 2] }))).toEqual([1, 2]);
    expect(schemas[0]).toMatchObject({ type: 'object', properties: { value: { type: 'array' } }, required: ['value'] });
    const plain = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(await resultOf((ctx) => ctx.llm.object(plain, 'n'), script({ n: 3 }))).toEqual({ n: 3 });
    expect(await failureOf((ctx) => ctx.llm.object(plain, 'n'), script({ n: 'x' }))).toBeInstanceOf(ModelAnswerInvalid);
    const other = {
      '~standard': {
        version: 1 as const,
        vendor: 'other',
        validate: (value: unknown) => (value === 'yes' ? { value: true } : { issues: [{ message: 'say yes' }] }),
        jsonSchema: { input: () => ({ type: 'string' }) },
      },
    };
    expect(await resultOf((ctx) => ctx.llm.object(other, 'well?'), script({ value: 'yes' }))).toBe(true);
    const { jsonSchema: _, ...mute } = other['~standard'];
    expect(await failureOf((ctx) => ctx.llm.object({ '~standard': mute }, 'well?'), script('yes'))).toMatchObject({ code: 'skill_invocation_error' });
  });
});

describe('without the platform', () => {
  it('a model is named by the call or by SVC_MODEL, and a key is needed', async () => {
    expect(await failureOf((ctx) => ctx.llm.generate('hi'))).toMatchObject({ modelCode: 'no_model_named' });
    vi.stubEnv('SVC_MODEL', 'm-2');
    expect(await resultOf((ctx) => ctx.llm.generate('hi'))).toMatchObject({ model: 'm-2' });
    expect(await resultOf((ctx) => ctx.llm.generate('hi', { protocol: 'anthropic' }))).toMatchObject({ model: 'm-2' });
    expect(provider.asked.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/messages']);
    vi.stubEnv('OPENAI_BASE_URL', '');
    vi.stubEnv('OPENAI_API_KEY', '');
    expect(await failureOf((ctx) => ctx.llm.generate('hi'))).toMatchObject({ modelCode: 'no_model', message: expect.stringContaining('OPENAI_API_KEY') });
  });

  it('a script answers in turn, in pieces, with tools and with errors; and says when it has ended', async () => {
    const script: LlmScript = [
      'one two',
      { toolCalls: [{ name: 'look_up', arguments: { city: 'Rome' } }] },
      new ModelFailed('no', { code: 'busy', status: 503 }),
    ];
    const work: Work = async (ctx) => {
      const pieces: string[] = [];
      for await (const delta of ctx.llm.stream('1')) pieces.push(delta);
      const { toolCalls, finishReason } = await ctx.llm.generate('2');
      const codes: unknown[] = [];
      for (let n = 0; n < 2; n += 1) await ctx.llm.generate('3').catch((error: unknown) => codes.push(error instanceof ModelFailed && error.modelCode));
      return { pieces, toolCalls, finishReason, codes };
    };
    expect(await resultOf(work, script)).toEqual({
      pieces: ['one ', 'two'],
      toolCalls: [{ id: 'call_1', name: 'look_up', arguments: { city: 'Rome' } }],
      finishReason: 'tool_calls',
      codes: ['busy', 'model_script_ended'],
    });
  });

  it('vectors come from what embeds, in the order of the texts', async () => {
    const work: Work = (ctx) => ctx.llm.embed(['one', 'two']);
    expect(await failureOf(work)).toMatchObject({ modelCode: 'no_model_named' });
    vi.stubEnv('SVC_EMBEDDING_MODEL', 'm-2');
    expect(await resultOf(work)).toEqual({
      vectors: [[0.25, -0.5, 1], [0.25, -0.5, 1]],
      usage: { inputTokens: 30, cachedInputTokens: 0, outputTokens: 0 },
      model: 'm-2',
    }); // prettier-ignore
    expect(provider.asked).toMatchObject([
      { path: '/v1/embeddings', body: { model: 'm-2', input: ['one', 'two'], encoding_format: 'float' }, headers: { authorization: 'Bearer sk-own' } },
    ]);
    const say = (data: unknown): void => void provider.next.push({ status: 200, body: JSON.stringify({ data }) });
    say([
      { index: 1, embedding: [2] },
      { index: 0, embedding: [1] },
    ]);
    expect(await resultOf((ctx) => ctx.llm.embed(['one', 'two'], { model: 'm' }))).toMatchObject({
      vectors: [[1], [2]],
      model: 'm',
      usage: { inputTokens: 0 },
    });
    for (const data of [
      [{ embedding: [1] }],
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [2] },
      ],
      [{ embedding: [1] }, { embedding: [1, 2] }],
      [{ embedding: [] }],
      'x',
      [{ embedding: 'AAAA' }],
    ]) {
      say(data);
      expect(await failureOf(work), JSON.stringify(data)).toMatchObject({ modelCode: 'model_bad_answer' });
    }
    provider.next.push({ status: 402, body: JSON.stringify({ error: { message: 'budget', code: 'llm_cap_reached' } }) });
    expect(await failureOf(work)).toMatchObject({ modelCode: 'llm_cap_reached', modelStatus: 402 });
    const asked = provider.asked.length;
    for (const texts of [[], Array.from({ length: 257 }, () => 'x'), 'text' as never])
      expect(await failureOf((ctx) => ctx.llm.embed(texts))).toBeInstanceOf(SvcError);
    expect(provider.asked).toHaveLength(asked);
  });

  it('a script gives vectors where they are asked for', async () => {
    const work: Work = (ctx) => ctx.llm.embed(['a', 'b']);
    expect(await resultOf(work, [{ vectors: [[1], [2]] }])).toMatchObject({ vectors: [[1], [2]], model: 'scripted' });
    expect(await resultOf(work, ({ texts }) => ({ vectors: (texts ?? []).map((_, at) => [at]) }))).toMatchObject({ vectors: [[0], [1]] });
    for (const script of [['text'], [{ vectors: [[1]] }]]) expect(await failureOf(work, script)).toMatchObject({ modelCode: 'model_script_unfit' });
    expect(await failureOf((ctx) => ctx.llm.generate('hi'), [{ vectors: [[1]] }])).toMatchObject({ modelCode: 'model_script_unfit' });
  });

  it('what nobody awaits does not end the process', async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', note);
    provider.next.push(...Array.from({ length: 3 }, () => ({ status: 500, body: '{}' })));
    try {
      await resultOf(async (ctx) => {
        void ctx.llm.generate('1', { model: 'm' });
        void ctx.llm.stream('2', { model: 'm' }).result();
        void ctx.llm.object(Order, '3', { model: 'm' });
        await vi.waitFor(() => expect(provider.asked).toHaveLength(3));
      });
      // Reported after the tick without a handler.
      await new Promise((resolve) => setImmediate(resolve));
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it('what cannot be asked is refused before anything is sent', async () => {
    for (const options of [{ schema: { type: 'object' }, tools }, { schema: { type: 'array' } }])
      expect(await failureOf((ctx) => ctx.llm.generate('hi', { model: 'm', ...options }))).toBeInstanceOf(SvcError);
    expect(await failureOf((ctx) => ctx.llm.generate([], { model: 'm' }))).toBeInstanceOf(SvcError);
    expect(provider.asked).toEqual([]);
  });
});

it('a worker reaches all of it, and every answer fits the protocol', async () => {
  const values = await resultOf(
    async (ctx) => {
      const calls = new ContextCalls(ctx);
      const say = async (method: Extract<ContextMethod, `llm.${string}`>, params: Record<string, unknown>): Promise<unknown> => {
        const value = await calls.call(method, params);
        expect(CONTEXT_METHODS[method].value.parse(value)).toEqual(value);
        return value;
      };
      const messages = [{ role: 'user', content: 'hi' }];
      const whole = await say('llm.generate', { messages, model: null, tools: [{ name: 'look_up' }] });
      const object = await say('llm.object', { messages, schema: { type: 'array', items: { type: 'integer' } } });
      expect(await say('llm.start', { messages })).toEqual({ stream: 1 });
      const pieces = [await say('llm.read', { stream: 1 }), await say('llm.read', { stream: 1 }), await say('llm.read', { stream: 1 })];
      await expect(say('llm.read', { stream: 1 })).rejects.toThrow('this run reads no stream 1');
      await say('llm.start', { messages });
      expect(await say('llm.leave', { stream: 2 })).toBeNull();
      const embedded = await say('llm.embed', { texts: ['a', 'b'], model: null });
      await expect(say('llm.embed', { texts: [] })).rejects.toThrow();
      return { whole, object, pieces, embedded };
    },
    [
      { toolCalls: [{ name: 'look_up', arguments: {} }] },
      { json: { value: [1] } },
      'one two',
      {
        vectors: [
          [1, 0.5],
          [0, -1],
        ],
      },
    ],
  );
  const usage = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 };
  expect(values).toEqual({
    whole: { text: '', tool_calls: [{ id: 'call_1', name: 'look_up', arguments: {} }], finish_reason: 'tool_calls', usage, model: 'scripted' },
    object: [1],
    embedded: {
      vectors: [
        [1, 0.5],
        [0, -1],
      ],
      usage,
      model: 'scripted',
    },
    pieces: [
      { text: 'one ', answer: null },
      { text: 'two', answer: null },
      { text: null, answer: { text: 'one two', tool_calls: [], finish_reason: 'stop', usage, model: 'scripted' } },
    ],
  });
  const failed = fromWorker(toWorker(new ModelFailed('no', { code: 'llm_cap_reached', status: 402 })));
  expect(failed).toMatchObject({ code: 'model_failed', modelCode: 'llm_cap_reached', modelStatus: 402, message: 'no' });
  const issues = [{ path: ['a', 1], code: 'invalid', message: 'x' }];
  expect(fromWorker(toWorker(new ModelAnswerInvalid('no', issues)))).toMatchObject({ code: 'model_answer_invalid', issues });
});
