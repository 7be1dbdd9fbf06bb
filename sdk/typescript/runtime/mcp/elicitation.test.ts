import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HEADER } from '../../../../contract/wire/headers.ts';
import { Agent } from '../../authoring/agent.ts';
import { QuestionDeclined } from '../../authoring/errors.ts';
import { skill } from '../../authoring/skill.ts';
import { controlPlane } from '../../platform/control-plane.ts';
import { localPlatform } from '../../platform/local.ts';
import type { RunPlatform } from '../platform.ts';
import { platformPeer } from '../../test/platform-peer.ts';
import { serve, type Served } from '../../test/serve.ts';
import { z } from 'zod';
import { turns } from '../../../../test/support/turns.ts';

/** A form of plain fields, as clients can show it. */
const TRIP = { type: 'object', properties: { city: { type: 'string' }, nights: { type: 'integer', minimum: 1 } }, required: ['city', 'nights'] };
/** No client can show that. */
const PARTY = {
  type: 'object',
  properties: { guests: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } } },
  required: ['guests'],
};

class Asks extends Agent {
  name = 'asks';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 4;
  /** Runs that ended, however. */
  ended: string[] = [];
  paint = skill({ output: z.object({ colour: z.string(), size: z.string() }) }, async (ctx) => {
    try {
      await ctx.emitProgress('asking');
      const colour = await ctx.ask('Which colour?', 5);
      return { colour, size: await ctx.ask('Which size?', 5) };
    } finally {
      this.ended.push('paint');
    }
  });
  trip = skill({}, async (ctx) => JSON.parse(await ctx.ask('Where to?', 5, { schema: TRIP })));
  party = skill({}, async (ctx) => JSON.parse(await ctx.ask('Who comes?', 5, { schema: PARTY })));
  /** Goes on without an answer. */
  perhaps = skill({}, async (ctx) => {
    try {
      return await ctx.ask('Your name?', 5, { name: 'user_name' });
    } catch (error) {
      return error instanceof QuestionDeclined ? 'nobody' : 'something else';
    }
  });
  pair = skill({}, async (ctx) => {
    const second = ctx.ask('Second?', 5, { name: 'second' });
    await expect(ctx.ask('Third?', 5, { name: 'second' })).rejects.toThrow('another question of this run is open as "second"');
    await expect(ctx.ask('Third?', 5, { name: 'a b' })).rejects.toThrow('a name is');
    return await second;
  });
  hurry = skill({}, async (ctx) => await ctx.ask('Quick!', 0.3));
  widen = skill({ allowScopeExpansion: true }, async (ctx) => {
    try {
      await ctx.requestScope({ reason: 'to read the plan', read: ['plan.md'], timeoutSeconds: 5 });
      return 'granted';
    } catch (error) {
      return error instanceof Error ? error.name : 'unknown';
    }
  });
}

type Answer = { action: 'accept'; content: Record<string, string | number> } | { action: 'decline' | 'cancel' };

interface Asked {
  client: Client;
  served: Served;
  agent: Asks;
  prompts: string[];
}

async function connect({
  answer,
  mode = 'auto',
  headers = {},
  platform,
}: {
  answer?: (prompt: string) => Answer | Promise<Answer>;
  mode?: 'auto' | 'legacy';
  headers?: Record<string, string>;
  platform?: RunPlatform;
} = {}): Promise<Asked> {
  const agent = new Asks();
  const served = await serve(agent, { apiKey: 'key', ...(platform && { platform }) });
  const prompts: string[] = [];
  const client = await clientOf(served, { mode, headers, answer: answer && ((prompt) => (prompts.push(prompt), answer(prompt))) });
  return { client, served, agent, prompts };
}

async function clientOf(
  served: Served,
  { mode, headers, answer }: { mode: 'auto' | 'legacy'; headers: Record<string, string>; answer?: ((prompt: string) => Answer | Promise<Answer>) | undefined },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities: answer ? { elicitation: { form: {} } } : {} });
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message));
  onTestFinished(() => client.close());
  const requestInit = { headers: { authorization: 'Bearer key', ...caller('ann'), ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit, fetch: withRunId }));
  return client;
}

/** As a platform does: a run id for each request that may begin one. */
const withRunId: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set(HEADER.runId, `run_${crypto.randomUUID()}`);
  return fetch(input, { ...init, headers });
};

/** As a platform names who calls. */
function caller(id: string): Record<string, string> {
  return { [HEADER.runToken]: `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['user', id] })).toString('base64url')}.mac` };
}

const Asked = z.object({
  result: z.object({ resultType: z.literal('input_required'), requestState: z.string(), inputRequests: z.record(z.string(), z.unknown()) }),
});

/** tools/call of 2026 by a client that can be asked. */
function raw(served: Served): (params: object) => Promise<Record<string, unknown>> {
  return async (params) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: {}, _meta, ...params } };
    const name = 'name' in params ? String(params.name) : '';
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    const response = await served.post('/mcp', body, {
      headers: { authorization: 'Bearer key', ...caller('ann'), [HEADER.runId]: `run_${crypto.randomUUID()}`, ...headers },
    });
    const text = await response.text();
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '')));
  };
}

function textOf(result: CallToolResult): string {
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

describe('ask over MCP, where the client can ask its person', () => {
  it('each question is elicited, the run goes on with the answer, and its result is the tool result', async () => {
    const { client, prompts } = await connect({
      answer: (prompt) => ({ action: 'accept', content: { answer: prompt === 'Which colour?' ? 'red' : 'large' } }),
    });
    const result = await client.callTool({ name: 'paint', arguments: {} });
    expect(prompts).toEqual(['Which colour?', 'Which size?']);
    expect(result.structuredContent).toEqual({ colour: 'red', size: 'large' });
  });

  it('a person who declines is told to the skill, which may go on; one who closes the form ends the run', async () => {
    const { client } = await connect({ answer: () => ({ action: 'decline' }) });
    expect(textOf(await client.callTool({ name: 'perhaps', arguments: {} }))).toBe('nobody');
    expect(textOf(await client.callTool({ name: 'paint', arguments: {} }))).toContain('question_declined');
    const { client: other, agent } = await connect({ answer: () => ({ action: 'cancel' }) });
    const result = await other.callTool({ name: 'paint', arguments: {} });
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('cancelled_by_caller')]);
    await vi.waitFor(() => expect(agent.ended).toEqual(['paint']));
  });

  it('a number is no text: it is asked again, three times at most, and then the model reads the question', async () => {
    const { client, prompts } = await connect({ answer: () => ({ action: 'accept', content: { answer: 7 } }) });
    const asked = await client.callTool({ name: 'paint', arguments: {} });
    expect(prompts).toEqual(['Which colour?', ...[1, 2].map(() => expect.stringContaining('fill in the field "answer" with text'))]);
    expect(textOf(asked)).toContain('Which colour?');
    const second = await client.callTool({ name: 'answer_question', arguments: { question_id: questionIn(asked), answer: 'red' } });
    expect(textOf(second)).toContain('Which size?');
  });

  it('a person who takes too long gets the time-out as the result', async () => {
    const { client } = await connect({
      answer: async () => {
        await new Promise((resolve) => setTimeout(resolve, 600));
        return { action: 'accept', content: { answer: 'late' } };
      },
    });
    expect(textOf(await client.callTool({ name: 'hurry', arguments: {} }))).toContain('question_expired');
  });

  it('an answer from elsewhere counts, and the client that comes back finds the run further on', async () => {
    const answered = Promise.withResolvers<string | undefined>();
    // Somebody answers the first question at the platform, while the client's person still thinks.
    const platform = localPlatform({ onQuestion: ({ prompt }) => (prompt === 'Which colour?' ? answered.promise : undefined) });
    const { client } = await connect({
      platform,
      answer: async (prompt) => {
        if (prompt === 'Which colour?') {
          answered.resolve('from elsewhere');
          await turns();
        }
        return { action: 'accept', content: { answer: 'from the client' } };
      },
    });
    expect((await client.callTool({ name: 'paint', arguments: {} })).structuredContent).toEqual({ colour: 'from elsewhere', size: 'from the client' });
  });

  it('the state that names the run is sealed: forged or of another tool, it is refused', async () => {
    const { served } = await connect();
    const rpc = raw(served);
    const first = Asked.parse(await rpc({ name: 'paint' }));
    const { requestState, inputRequests } = first.result;
    const [key = ''] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: 'accept', content: { answer: 'red' } } };
    expect(await rpc({ name: 'paint', requestState: `${requestState}x`, inputResponses })).toMatchObject({ error: { code: -32602 } });
    expect(await rpc({ name: 'hurry', requestState, inputResponses })).toMatchObject({ result: { isError: true } });
    expect(await rpc({ name: 'paint', requestState })).toMatchObject({ result: { resultType: 'input_required', inputRequests: { [key]: {} } } });
    expect(await rpc({ name: 'paint', requestState, inputResponses })).toMatchObject({ result: { resultType: 'input_required' } });
  });

  it('the name of a question is the key of its input, one that is open alone; who knows it may answer before being asked', async () => {
    const { served } = await connect();
    const rpc = raw(served);
    const accept = (answer: unknown) => ({ action: 'accept', content: { answer } });
    const asked = Asked.parse(await rpc({ name: 'perhaps' }));
    expect(Object.keys(asked.result.inputRequests)).toEqual(['user_name']);
    const { requestState } = asked.result;
    expect(await rpc({ name: 'perhaps', requestState, inputResponses: { user_name: accept('Ann') } })).toMatchObject({
      result: { structuredContent: { result: 'Ann' } },
    });
    const early = { user_name: accept('Ben'), unknown: accept('x') };
    expect(await rpc({ name: 'perhaps', inputResponses: early })).toMatchObject({ result: { structuredContent: { result: 'Ben' } } });
    for (const inputResponses of [{ other: accept('x') }, { user_name: 12345 }, { user_name: accept(7) }])
      expect(Object.keys(Asked.parse(await rpc({ name: 'perhaps', inputResponses })).result.inputRequests)).toEqual(['user_name']);
    expect(Object.keys(Asked.parse(await rpc({ name: 'pair' })).result.inputRequests)).toEqual(['second']);
  });

  it('a scope request is shown, not granted: the platform decides', async () => {
    const decided = Promise.withResolvers<boolean | string>();
    const platform = localPlatform({ autoApprove: false, onScopeRequest: () => decided.promise });
    const { client, prompts } = await connect({
      platform,
      answer: () => {
        decided.resolve('no');
        return { action: 'accept', content: {} };
      },
    });
    expect(textOf(await client.callTool({ name: 'widen', arguments: {} }))).toContain('ScopeDenied');
    expect(prompts[0]).toMatch(/to read the plan.*at the platform/);
  });
});

describe('ask over MCP, where a client of 2025 reads the stream of its call', () => {
  it('each question is elicited on it, and its answer leads to the result', async () => {
    const { client, prompts } = await connect({
      mode: 'legacy',
      answer: (prompt) => ({ action: 'accept', content: { answer: prompt === 'Which colour?' ? 'red' : 'large' } }),
    });
    expect((await client.callTool({ name: 'paint', arguments: {} })).structuredContent).toEqual({ colour: 'red', size: 'large' });
    expect(prompts).toEqual(['Which colour?', 'Which size?']);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
  });

  it('two calls at once are answered each by its own', async () => {
    const { client } = await connect({ mode: 'legacy', answer: (prompt) => ({ action: 'accept', content: { answer: `${prompt}!` } }) });
    const calls = [1, 2, 3].map(async () => (await client.callTool({ name: 'paint', arguments: {} })).structuredContent);
    for (const result of await Promise.all(calls)) expect(result).toEqual({ colour: 'Which colour?!', size: 'Which size?!' });
  });

  it('an answer that does not fit is elicited again, with what was wrong', async () => {
    const given = [{ city: 'Rome' }, { city: 'Rome', nights: 3 }];
    const { client, prompts } = await connect({ mode: 'legacy', answer: () => ({ action: 'accept', content: given.shift() ?? {} }) });
    expect((await client.callTool({ name: 'trip', arguments: {} })).structuredContent).toEqual({ city: 'Rome', nights: 3 });
    expect(prompts).toEqual(['Where to?', expect.stringMatching(/^Where to\?\n\nThe answer before did not do: nights: /)]);
  });

  it('a client that never answers as asked, or cannot, reads the question instead and answers by the tool', async () => {
    const { client, prompts } = await connect({ mode: 'legacy', answer: () => ({ action: 'accept', content: { city: 'Rome' } }) });
    const question_id = questionIn(await client.callTool({ name: 'trip', arguments: {} }));
    expect(prompts).toHaveLength(3);
    const args = { question_id, answer: '{"city":"Rome","nights":2}' };
    expect((await client.callTool({ name: 'answer_question', arguments: args })).structuredContent).toEqual({ city: 'Rome', nights: 2 });
    const { client: broken } = await connect({ mode: 'legacy', answer: () => Promise.reject(new Error('no window')) });
    expect(questionIn(await broken.callTool({ name: 'trip', arguments: {} }))).toMatch(/^inr_/);
  });

  it('a person who declines is told to the skill; one who closes the form ends the run', async () => {
    const { client } = await connect({ mode: 'legacy', answer: () => ({ action: 'decline' }) });
    expect(textOf(await client.callTool({ name: 'perhaps', arguments: {} }))).toBe('nobody');
    const { client: other, agent } = await connect({ mode: 'legacy', answer: () => ({ action: 'cancel' }) });
    expect(textOf(await other.callTool({ name: 'paint', arguments: {} }))).toContain('cancelled_by_caller');
    await vi.waitFor(() => expect(agent.ended).toEqual(['paint']));
  });

  it('an answer from elsewhere counts, and takes the form away', async () => {
    const shown = Promise.withResolvers<string>();
    const platform = localPlatform({ onQuestion: ({ prompt }) => (prompt === 'Which colour?' ? shown.promise : undefined) });
    const { client, prompts } = await connect({
      mode: 'legacy',
      platform,
      answer: async (prompt) => {
        if (prompt !== 'Which colour?') return { action: 'accept', content: { answer: 'from the client' } };
        shown.resolve('from elsewhere');
        return await new Promise<never>(() => undefined);
      },
    });
    expect((await client.callTool({ name: 'paint', arguments: {} })).structuredContent).toEqual({ colour: 'from elsewhere', size: 'from the client' });
    expect(prompts).toEqual(['Which colour?', 'Which size?']);
  });

  it('another caller cannot answer it, even by its id', async () => {
    const { served } = await connect();
    const post = async (body: object, as: string): Promise<Response> => {
      const headers = {
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
        'mcp-session-id': `svc_mcp_form_${'x'.repeat(43)}`,
      };
      const own = { authorization: 'Bearer key', ...caller(as), [HEADER.runId]: `run_${crypto.randomUUID()}` };
      return await served.post('/mcp', { jsonrpc: '2.0', ...body }, { headers: { ...headers, ...own } });
    };
    const stream = (await post({ id: 1, method: 'tools/call', params: { name: 'paint', arguments: {} } }, 'ann')).body?.pipeThrough(new TextDecoderStream());
    if (!stream) throw new Error('no stream');
    let seen = '';
    for await (const chunk of stream) {
      seen += chunk;
      const ids = [...seen.matchAll(/"id":"(elicit_[\w-]+)"/g)].map(([, id]) => id);
      const id = ids.at(-1);
      if (id === undefined || !chunk.includes(id)) continue;
      const result = (answer: string) => ({ id, result: { action: 'accept', content: { answer } } });
      await post(result('stolen'), 'eve');
      expect((await post(result(ids.length === 1 ? 'red' : 'large'), 'ann')).status).toBe(202);
    }
    expect(seen).toContain('"structuredContent":{"colour":"red","size":"large"}');
    expect(seen).not.toContain('stolen');
  });
});

describe('ask with a form over MCP', () => {
  it('plain fields are asked for as they are, and what does not fit is asked again, with what was wrong', async () => {
    const given = [
      { city: 'Rome', nights: 0 },
      { city: 'Rome', nights: 3 },
    ];
    const { client, prompts } = await connect({ answer: () => ({ action: 'accept', content: given.shift() ?? {} }) });
    expect((await client.callTool({ name: 'trip', arguments: {} })).structuredContent).toEqual({ city: 'Rome', nights: 3 });
    expect(prompts).toEqual(['Where to?', expect.stringMatching(/^Where to\?\n\nThe answer before did not do: nights: /)]);
  });

  it('anything deeper is asked for as JSON', async () => {
    const { client } = await connect({ answer: () => ({ action: 'accept', content: { answer: '{"guests":[{"name":"Ann"}]}' } }) });
    expect((await client.callTool({ name: 'party', arguments: {} })).structuredContent).toEqual({ guests: [{ name: 'Ann' }] });
  });

  it('a client without elicitation gets the schema, and mistakes', async () => {
    const { client } = await connect({ mode: 'legacy' });
    const asked = await client.callTool({ name: 'trip', arguments: {} });
    expect(textOf(asked)).toContain(JSON.stringify(TRIP));
    const question_id = questionIn(asked);
    const answer = async (text: string) => await client.callTool({ name: 'answer_question', arguments: { question_id, answer: text } });
    expect(textOf(await answer('{"city":"Rome"}'))).toMatch(/does not fit the form: nights/);
    expect((await answer('{"city":"Rome","nights":2}')).structuredContent).toEqual({ city: 'Rome', nights: 2 });
  });
});

describe('ask over MCP, where the platform has no user to ask', () => {
  const anonymously = async (options: { answer?: () => Answer; mode?: 'legacy' }) => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ status: 403, code: 'nobody_to_ask', message: 'anonymous' });
    const nobody = `svc_run_${Buffer.from(JSON.stringify({ u: null, c: ['anonymous', null] })).toString('base64url')}.mac`;
    return { ...(await connect({ ...options, headers: { [HEADER.runToken]: nobody }, platform: controlPlane({ url: peer.url }) })), peer };
  };

  it('the client asks its own person', async () => {
    const { client, prompts, peer } = await anonymously({ answer: () => ({ action: 'accept', content: { answer: 'red' } }) });
    expect((await client.callTool({ name: 'paint', arguments: {} })).structuredContent).toEqual({ colour: 'red', size: 'red' });
    expect(prompts).toEqual(['Which colour?', 'Which size?']);
    expect(peer.seen.map(({ route }) => route).filter((route) => route === 'ask')).toEqual(['ask', 'ask']);
  });

  it('or its model does, by the tool that answers', async () => {
    const { client } = await anonymously({ mode: 'legacy' });
    const first = await client.callTool({ name: 'paint', arguments: {} });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('answer_question');
    const second = await client.callTool({ name: 'answer_question', arguments: { question_id: questionIn(first), answer: 'red' } });
    const last = await client.callTool({ name: 'answer_question', arguments: { question_id: questionIn(second), answer: 'large' } });
    expect(last.structuredContent).toEqual({ colour: 'red', size: 'large' });
  });
});

describe.each(['auto', 'legacy'] as const)('ask over MCP, where the client cannot ask (%s)', (mode) => {
  it('the question is the text of the result, and a tool that exists only then answers it', async () => {
    const { client } = await connect({ mode });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
    const first = await client.callTool({ name: 'paint', arguments: {} });
    expect(first.isError).toBe(true);
    expect(textOf(first)).toContain('Which colour?');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('answer_question');
    const second = await client.callTool({ name: 'answer_question', arguments: { question_id: questionIn(first), answer: 'red' } });
    expect(textOf(second)).toContain('Which size?');
    const last = await client.callTool({ name: 'answer_question', arguments: { question_id: questionIn(second), answer: 'large' } });
    expect(last.structuredContent).toEqual({ colour: 'red', size: 'large' });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
  });

  it("a caller cannot answer another caller's question", async () => {
    const { client, served } = await connect({ mode });
    const question_id = questionIn(await client.callTool({ name: 'paint', arguments: {} }));
    const other = await clientOf(served, { mode, headers: caller('ben') });
    expect((await other.listTools()).tools.map(({ name }) => name)).not.toContain('answer_question');
    await expect(other.callTool({ name: 'answer_question', arguments: { question_id, answer: 'mine' } })).rejects.toThrow(/no skill/);
    expect(textOf(await client.callTool({ name: 'answer_question', arguments: { question_id, answer: 'red' } }))).toContain('Which size?');
  });
});

function questionIn(result: CallToolResult): string {
  const question = z.object({ question_id: z.string() }).parse(result._meta?.['svc/question']);
  return question.question_id;
}
