// AG-UI as its official client speaks it, against a served agent.
import { HttpAgent, type AgentSubscriber } from '@ag-ui/client';
import { EventType } from '@ag-ui/core';
import { EventSchema } from '@ag-ui/core/schemas';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { TaskMessage } from '../../authoring/task-message.ts';
import { serve, type Served } from '../../test/serve.ts';

class Desk extends Agent {
  name = 'desk';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 8;
  stopped = 0;
  greet = skill({ description: 'Greets.', input: z.object({ name: z.string() }) }, async (_ctx, { name }) => `Hello ${name}`);
  add = skill({ input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) }, async (_ctx, { a, b }) => ({ sum: a + b }));
  shout = skill({ input: z.object({ words: z.string() }) }, async (_ctx, { words }) => words.toUpperCase());
  tells = skill({}, async (ctx) => {
    await ctx.emitProgress('half', { progress: 1, total: 2 });
    await ctx.emitTextDelta('one ');
    await ctx.emitEvent({ kind: 'tool', payload: { call_id: 'c1', name: 'look', phase: 'started' } });
    await ctx.emitEvent({ kind: 'tool', payload: { call_id: 'c1', name: 'look', phase: 'finished', summary: 'found 3' } });
    await ctx.emitEvent({ kind: 'tool', payload: { call_id: 'c2', name: 'wait', phase: 'started' } });
    await ctx.emitTextDelta('two');
    await ctx.emitEvent({ kind: 'desk.note', payload: { colour: 'red' } });
    return { done: true };
  });
  asks = skill({}, async (ctx) => {
    await ctx.emitTextDelta('Before. ');
    const first = await ctx.ask('Which?', 60);
    const second = JSON.parse(await ctx.ask('How many?', 60, { schema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } }));
    return { first, second };
  });
  two = skill({}, async (ctx) => Promise.all([ctx.ask('Left?', 60), ctx.ask('Right?', 60)]));
  soon = skill({}, async (ctx) => ctx.ask('Quick?', 0.2));
  reads = skill({ allowScopeExpansion: true }, async (ctx) => (await ctx.requestScope({ reason: 'To read it', read: ['a/**'] })).mode);
  fails = skill({}, async () => {
    throw new Error('inside');
  });
  closed = skill({ scopes: ['b'] }, async () => 'never');
  waits = skill({}, async (ctx) => {
    await ctx.emitTextDelta('waiting');
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
    this.stopped += 1;
  });
}

class Single extends Agent {
  name = 'single';
  description = 'For tests.';
  version = '1.0.0';
  say = skill({ input: z.object({ text: z.string() }) }, async (_ctx, { text }) => `said ${text}`);
}

class Files extends Agent {
  name = 'files';
  description = 'For tests.';
  version = '1.0.0';
  override inputModes = ['image/*', 'text/plain'];
  look = skill({ input: TaskMessage }, async (_ctx, { parts }) => ({
    parts: [{ text: parts.map(({ text, raw, mediaType }) => text ?? `${mediaType} ${raw}`).join('; ') }],
  }));
}

type Seen = { type: string } & Record<string, unknown>;

function client({ url }: Served, threadId = crypto.randomUUID()) {
  const seen: Seen[] = [];
  const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId });
  const watch: AgentSubscriber = { onEvent: ({ event }) => void seen.push({ ...event }) };
  agent.subscribe(watch);
  const say = async (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    return agent.runAgent();
  };
  const types = (): string[] => seen.map(({ type }) => type);
  const of = (type: string): Seen[] => seen.filter((event) => event.type === type);
  return { agent, seen, say, types, of, last: () => seen.at(-1) };
}

const Interrupted = z.looseObject({
  outcome: z.object({ type: z.literal('interrupt'), interrupts: z.array(z.looseObject({ id: z.string(), message: z.string(), reason: z.string() })) }),
});
const interrupts = (event: unknown) => Interrupted.parse(event).outcome.interrupts;

/** Without the client, which keeps to rules that others may not. */
async function raw(
  agent: Served,
  input: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; events: Seen[]; body: string; headers: Headers }> {
  const response = await agent.post('/ag-ui', { threadId: 't', runId: crypto.randomUUID(), messages: [], ...input }, { headers });
  const body = await response.text();
  const events = body.split('\n\n').flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6)) as Seen] : []));
  return { status: response.status, events, body, headers: response.headers };
}
const user = (content: unknown) => [{ id: 'm1', role: 'user', content }];

describe('a run', () => {
  test('of a skill by name is said as a message and is the result', async () => {
    const { agent, types, seen, of } = client(await serve(Desk));
    const { result, newMessages } = await agent.runAgent({ forwardedProps: { skill: 'greet', args: { name: 'Ada' } } });
    expect(result).toBe('Hello Ada');
    expect(newMessages).toMatchObject([{ role: 'assistant', content: 'Hello Ada' }]);
    expect(types()).toEqual([
      'RUN_STARTED', 'STATE_SNAPSHOT', 'STATE_DELTA', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'STATE_DELTA', 'RUN_FINISHED',
    ]); // prettier-ignore
    for (const event of seen) expect(EventSchema.safeParse(event).error?.issues).toBeUndefined();
    expect(of('RUN_STARTED')).toMatchObject([{ protocolVersion: '1.0' }]);
    expect(agent.state).toMatchObject({ svc: { skill: 'greet', status: 'succeeded', run_id: expect.stringMatching(/^run_/) } });
  });

  test('by "@skill" in the text, and only by the text where one skill takes a text', async () => {
    expect((await client(await serve(Desk)).say('@add {"a": 1, "b": 2}')).result).toEqual({ sum: 3 });
    const single = client(await serve(Single));
    expect((await single.say('good day')).result).toBe('said good day');
    expect((await single.say('again')).result).toBe('said again');
    expect(single.agent.messages.map(({ content }) => content)).toEqual(['good day', 'said good day', 'again', 'said again']);
  });

  test('with files reaches a skill that takes messages, and no other', async () => {
    const content = [
      { type: 'text', text: 'this' },
      { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } },
    ];
    const answer = await raw(await serve(Files), { messages: user(content) });
    expect(answer.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { parts: [{ text: 'this; image/png AAAA' }] } });
    expect(answer.body).toContain('"delta":"this; image/png AAAA"');
    expect((await raw(await serve(Single), { messages: user(content) })).status).toBe(415);
  });

  test('tells progress as state, words as one message, tools as calls with results, and its own events by their names', async () => {
    const { agent, say, seen, of, types } = client(await serve(Desk));
    agent.setState({ mine: 1 });
    const { result } = await say('@tells');
    expect(result).toEqual({ done: true });
    expect(agent.state).toMatchObject({ mine: 1, svc: { progress: { message: 'half', progress: 1, total: 2 }, status: 'succeeded' } });
    expect(of('TOOL_CALL_START').map(({ toolCallName }) => toolCallName)).toEqual(['look', 'wait']);
    expect(of('TOOL_CALL_RESULT')).toMatchObject([{ toolCallId: 'c1', content: 'found 3' }, { toolCallId: 'c2' }]);
    expect(of('CUSTOM')).toMatchObject([{ name: 'desk.note', value: { colour: 'red' } }]);
    expect(of('TEXT_MESSAGE_CONTENT').map(({ delta }) => delta)).toEqual(['one ', 'two']);
    expect(types().filter((type) => type === 'TEXT_MESSAGE_START')).toHaveLength(2);
    for (const event of seen) expect(EventSchema.safeParse(event).error?.issues).toBeUndefined();
  });

  test('whose client leaves is stopped', async () => {
    const desk = new Desk();
    const { agent, say, of } = client(await serve(desk));
    const running = say('@waits').catch(() => undefined);
    await vi.waitFor(() => expect(of('TEXT_MESSAGE_CONTENT')).toHaveLength(1));
    agent.abortRun();
    await running;
    await vi.waitFor(() => expect(desk.stopped).toBe(1));
  });

  test('that fails ends with its code; one that cannot begin is refused as a plain call is', async () => {
    const served = await serve(Desk);
    const failed = await raw(served, { messages: user('@fails') });
    expect(failed.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'skill_invocation_error', metadata: { svc: { request_id: expect.any(String) } } });
    expect(failed.body).not.toContain('inside');
    const refusals: [string, object, number][] = [
      ['skill_not_found', { messages: user('@nothing') }, 404],
      ['skill_input_error', { forwardedProps: { skill: 'add', args: { a: 'x' } } }, 400],
      ['missing_scopes', { forwardedProps: { skill: 'closed', args: {} } }, 403],
      ['bad_request', { messages: [] }, 400],
      ['bad_request', { threadId: 5 }, 400],
      ['bad_request', { threadId: 'x'.repeat(2000), messages: user('@greet') }, 400],
    ];
    for (const [code, input, status] of refusals) {
      const { status: answered, body } = await raw(served, input);
      expect([answered, JSON.parse(body)], code).toMatchObject([status, { detail: { code } }]);
    }
    const get = await fetch(`${served.url}/ag-ui`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('a run that asks', () => {
  test('is interrupted, and the next run of the thread answers and follows it', async () => {
    const { agent, say, of, last } = client(await serve(Desk));
    await say('@asks');
    const [first] = interrupts(last());
    expect(first).toMatchObject({ reason: 'input_required', message: 'Which?', responseSchema: { type: 'string' }, expiresAt: expect.any(String) });
    expect(agent.state).toMatchObject({ svc: { status: 'waiting' } });
    await agent.runAgent({ resume: [{ interruptId: first?.id ?? '', status: 'resolved', payload: 'this' }] });
    const [second] = interrupts(last());
    expect(second).toMatchObject({ message: 'How many?', responseSchema: { properties: { count: { type: 'integer' } } } });
    const { result } = await agent.runAgent({ resume: [{ interruptId: second?.id ?? '', status: 'resolved', payload: { count: 3 } }] });
    expect(result).toEqual({ first: 'this', second: { count: 3 } });
    expect(of('TEXT_MESSAGE_CONTENT')).toMatchObject([{ delta: 'Before. ' }, { delta: expect.stringContaining('"count":3') }]);
    expect(new Set(of('STATE_SNAPSHOT').map(({ snapshot }) => z.object({ svc: z.object({ run_id: z.string() }) }).parse(snapshot).svc.run_id)).size).toBe(1);
  });

  test('which skill is meant does so by a form, then for its arguments', async () => {
    const { agent, say, last } = client(await serve(Desk));
    await say('hello');
    const [which] = interrupts(last());
    expect(which?.['responseSchema']).toMatchObject({ properties: { skill: { enum: expect.arrayContaining(['greet', 'add']) } } });
    await agent.runAgent({ resume: [{ interruptId: which?.id ?? '', status: 'resolved', payload: { skill: 'add' } }] });
    const [args] = interrupts(last());
    const { result } = await agent.runAgent({ resume: [{ interruptId: args?.id ?? '', status: 'resolved', payload: { a: 2, b: 3 } }] });
    expect(result).toEqual({ sum: 5 });
  });

  test('two things at once is answered whole', async () => {
    const served = await serve(Desk);
    const begun = await raw(served, { messages: user('@two') });
    const [left, right] = interrupts(begun.events.at(-1));
    const part = await raw(served, { resume: [{ interruptId: left?.id, status: 'resolved', payload: 'a' }] });
    expect(part.events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_ERROR']);
    expect(part.events[1]).toMatchObject({ code: 'interrupts_pending', message: expect.stringContaining(right?.id ?? '-') });
    const resume = [left, right].map((one, index) => ({ interruptId: one?.id, status: 'resolved', payload: ['a', 'b'][index] }));
    const whole = await raw(served, { resume });
    expect(whole.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: ['a', 'b'] });
    // Sent again, it changes nothing and reads the same end.
    expect((await raw(served, { resume })).events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: ['a', 'b'] });
  });

  test('takes no wrong answer, none of another thread, and no other run in its thread meanwhile', async () => {
    const served = await serve(Desk);
    const [which] = interrupts((await raw(served, { messages: user('hello') })).events.at(-1));
    const tries: [string, object][] = [
      ['answer_invalid', { resume: [{ interruptId: which?.id, status: 'resolved', payload: { skill: 'nothing' } }] }],
      ['answer_invalid', { resume: [{ interruptId: which?.id, status: 'resolved' }] }],
      ['interrupt_unknown', { threadId: 'other', resume: [{ interruptId: which?.id, status: 'resolved', payload: { skill: 'waits' } }] }],
      ['interrupt_unknown', { resume: [{ interruptId: 'qst_guessed', status: 'resolved', payload: 'x' }] }],
      ['interrupt_answered_twice', { resume: [1, 2].map(() => ({ interruptId: which?.id, status: 'resolved', payload: { skill: 'fails' } })) }],
      ['interrupts_pending', { messages: user('@greet {"name": "x"}') }],
    ];
    for (const [code, input] of tries) expect((await raw(served, input)).events.at(-1), code).toMatchObject({ type: 'RUN_ERROR', code });
    const chosen = await raw(served, { resume: [{ interruptId: which?.id, status: 'resolved', payload: { skill: 'tells' } }] });
    expect(chosen.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect((await raw(served, { messages: user('@greet {"name": "x"}') })).events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
  });

  test('ends when its person gives up, and cannot be answered after its time', async () => {
    const served = await serve(Desk);
    const [which] = interrupts((await raw(served, { messages: user('@asks') })).events.at(-1));
    const ended = await raw(served, { resume: [{ interruptId: which?.id, status: 'cancelled' }] });
    expect(ended.events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    const [quick] = interrupts((await raw(served, { threadId: 'u', messages: user('@soon') })).events.at(-1));
    await vi.waitFor(async () => {
      const late = await raw(served, { threadId: 'u', resume: [{ interruptId: quick?.id, status: 'resolved', payload: 7 }] });
      expect(late.events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: 'interrupt_expired' });
    });
  });

  test('for access is approved at the platform, and follows on from there', async () => {
    const served = await serve(Desk);
    const [asked] = interrupts((await raw(served, { messages: user('@reads') })).events.at(-1));
    // As MCP and A2A say it.
    const message = `The agent asks for wider access to the workspace (read a/**): To read it. Approve or deny request ${asked?.id} at the platform, then continue.`;
    expect(asked).toMatchObject({ reason: 'svc:access', message, metadata: { svc: { read: ['a/**'] } } });
    const going = raw(served, { resume: [{ interruptId: asked?.id, status: 'resolved', payload: {} }] });
    expect((await served.post(`/scope-grants/${asked?.id}`, { approved: true })).status).toBe(200);
    expect((await going).events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' }, result: 'read_only' });
  });
});
