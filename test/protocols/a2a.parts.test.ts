// The task protocol (A2A), driven by the official client over every binding and version an agent serves.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import { Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { TaskMessage } from '#sdk/typescript/authoring/task-message.ts';
import { StaticAuthResolver } from '#sdk/typescript/authoring/resolvers.ts';
import { APIKeyAuth } from '#sdk/typescript/authoring/auth.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { platformPeer } from '#sdk/typescript/test/platform-peer.ts';
import { serve, type Served } from '#sdk/typescript/test/serve.ts';
import { TaskAgent } from './a2a-agent.ts';
import { cites } from '../spec/verifies.ts';

type Part = string | { data: unknown };

function message(parts: readonly Part[], more: Partial<Message> = {}): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: parts.map((part) => ({
      content: typeof part === 'string' ? { $case: 'text', value: part } : { $case: 'data', value: part.data },
      metadata: undefined,
      filename: '',
      mediaType: '',
    })),
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  };
}

const send = (parts: readonly Part[], more?: Partial<Message>, returnImmediately = false) => ({
  tenant: '',
  message: message(parts, more),
  configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
  metadata: undefined,
});

async function task(client: Client, request: ReturnType<typeof send>): Promise<Task> {
  const result = await client.sendMessage(request);
  if (!('id' in result)) throw new Error('a message instead of a task');
  return result;
}

const call = (skill: string, args: unknown = {}): readonly Part[] => [{ data: { skill, args } }];
const byId = (id: string) => ({ id, tenant: '', metadata: {} });

/** Text and data of a task's artifacts by name. */
function artifacts({ artifacts: all }: Task): Record<string, unknown> {
  const shown = all.map(({ name, parts }) => {
    const values = parts.map(({ content }) => content?.value as unknown);
    return [name, values.every((value) => typeof value === 'string') ? values.join('') : values[0]] as const;
  });
  return Object.fromEntries(shown);
}

function textOf(said: Message | undefined): string {
  return (said?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])).join('');
}

async function all(stream: AsyncIterable<StreamResponse>): Promise<NonNullable<StreamResponse['payload']>[]> {
  const found = await Array.fromAsync(stream);
  return found.flatMap(({ payload }) => (payload ? [payload] : []));
}

function states(payloads: readonly NonNullable<StreamResponse['payload']>[]): TaskState[] {
  return payloads.flatMap((payload) => (payload.$case === 'statusUpdate' && payload.value.status ? [payload.value.status.state] : []));
}

const BINDINGS = {
  'JSON-RPC 1.0': (url: string, fetchImpl?: typeof fetch) =>
    new ClientFactory({ transports: [new JsonRpcTransportFactory(fetchImpl ? { fetchImpl } : {})] }).createFromUrl(url),
  'HTTP+JSON 1.0': (url: string, fetchImpl?: typeof fetch) =>
    new ClientFactory({ transports: [new RestTransportFactory(fetchImpl ? { fetchImpl } : {})] }).createFromUrl(url),
  'JSON-RPC 0.3': async (url: string, fetchImpl?: typeof fetch) =>
    new Client(new LegacyJsonRpcTransport({ endpoint: `${url}/a2a`, ...(fetchImpl && { fetchImpl }) }), await cardOf(url)),
  'HTTP+JSON 0.3': async (url: string, fetchImpl?: typeof fetch) =>
    new Client(new LegacyRestTransport({ endpoint: url, ...(fetchImpl && { fetchImpl }) }), await cardOf(url)),
} as const;

async function cardOf(url: string) {
  return (await new ClientFactory({ transports: [new JsonRpcTransportFactory()] }).createFromUrl(url)).getAgentCard();
}

interface World {
  agent: TaskAgent;
  served: Served;
  client: Client;
}

async function world(binding: keyof typeof BINDINGS = 'JSON-RPC 1.0'): Promise<World> {
  const agent = new TaskAgent();
  const served = await serve(agent);
  return { agent, served, client: await BINDINGS[binding](served.url) };
}

describe.each(Object.keys(BINDINGS) as (keyof typeof BINDINGS)[])('A2A task protocol over %s, by the official client', (binding) => {
  it('runs a skill and answers with its result as an artifact', async () => {
    const { client } = await world(binding);
    const done = await task(client, send(call('add', { a: 1, b: 2 })));
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(artifacts(done)).toEqual({ result: { sum: 3 } });
    expect(done.history).toHaveLength(1);
    expect((await client.getTask({ id: done.id, tenant: '' })).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('streams: progress as status updates, text and artifacts as artifact updates', async () => {
    const { client } = await world(binding);
    const payloads = await all(client.sendMessageStream(send(call('tells'))));
    expect(payloads[0]?.$case).toBe('task');
    const progress = payloads.find((payload) => payload.$case === 'statusUpdate' && textOf(payload.value.status?.message) === 'half');
    expect(progress).toMatchObject({ value: { metadata: { kind: 'progress', progress: 1, total: 2 } } });
    const text = payloads.flatMap((payload) => (payload.$case === 'artifactUpdate' && payload.value.artifact?.name === 'text' ? [payload.value] : []));
    // Its 0.3 client over HTTP+JSON forgets the flag.
    if (binding !== 'HTTP+JSON 0.3') expect(text.map(({ append }) => append)).toEqual([false, true]);
    expect(states(payloads).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    const [first] = payloads;
    if (first?.$case !== 'task') throw new Error('no task');
    const kept = await client.getTask({ id: first.value.id, tenant: '' });
    expect(artifacts(kept)).toEqual({ text: 'one two', list: 'https://files.example/list', result: { done: true } });
  });

  it('a question is input-required, and the next message of the task answers it', async () => {
    const { client } = await world(binding);
    const first = await task(client, send(call('asks')));
    expect(first.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(textOf(first.status?.message)).toBe('Which colour?');
    const second = await task(client, send(['red'], { taskId: first.id, contextId: first.contextId }));
    expect(textOf(second.status?.message)).toBe('Which size?');
    const last = await all(client.sendMessageStream(send(['large'], { taskId: first.id })));
    expect(states(last).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    const kept = await client.getTask({ id: first.id, tenant: '' });
    expect(artifacts(kept)).toEqual({ result: 'red, then large' });
    expect(kept.history.map(textOf)).toEqual(['', 'Which colour?', 'red', 'Which size?', 'large']);
    await expect(client.sendMessage(send(['more'], { taskId: first.id }))).rejects.toThrow(/is over/);
  });

  it('a form is told as its schema, and taken as data; what does not fit is refused, and the question stays open', async () => {
    const { client } = await world(binding);
    const first = await task(client, send(call('books')));
    expect(first.status?.message?.metadata).toMatchObject({ schema: { properties: { city: { type: 'string' } } } });
    await expect(client.sendMessage(send([{ data: { city: 'Rome' } }], { taskId: first.id }))).rejects.toThrow(/does not fit the form: answer/);
    const last = await task(client, send([{ data: { city: 'Rome', answer: true } }], { taskId: first.id }));
    expect(artifacts(last)).toEqual({ result: { city: 'Rome', answer: true } });
  });

  it('where the platform knows nobody to ask, the caller is asked alone', async () => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ status: 403, code: 'nobody_to_ask', message: 'anonymous' });
    const served = await serve(TaskAgent, { apiKey: 'key', platform: controlPlane({ url: peer.url }) });
    const anonymous: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', 'Bearer key');
      headers.set(HEADER.runToken, `svc_run_${Buffer.from('{"u":null,"c":["anonymous",null]}').toString('base64url')}.mac`);
      headers.set(HEADER.runId, `run_${crypto.randomUUID()}`);
      return fetch(input, { ...init, headers });
    };
    const client = await BINDINGS[binding](served.url, anonymous);
    const first = await task(client, send(call('asks')));
    expect(first.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await task(client, send(['red'], { taskId: first.id }));
    expect(artifacts(await task(client, send(['large'], { taskId: first.id })))).toEqual({ result: 'red, then large' });
    expect(peer.seen.map(({ route }) => route).filter((route) => route === 'ask')).toHaveLength(2);
  });

  it('cancels', async () => {
    const { client, agent } = await world(binding);
    const begun = await task(client, send(call('waits'), {}, true));
    await vi.waitFor(async () => expect((await client.getTask({ id: begun.id, tenant: '' })).status?.state).toBe(TaskState.TASK_STATE_WORKING));
    expect((await client.cancelTask(byId(begun.id))).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await vi.waitFor(() => expect(agent.stopped).toBe(1));
    // The same effect again in 1.0 (3.3.1); in 0.3 a cancelled task is not cancelable (8.2).
    const again = client.cancelTask(byId(begun.id));
    if (binding.endsWith('0.3')) await expect(again).rejects.toThrow(/is over/);
    else expect((await again).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const done = await task(client, send(call('add', { a: 1, b: 1 })));
    await expect(client.cancelTask(byId(done.id))).rejects.toThrow(/is over/);
  });

  it('goes on when its reader leaves, and who comes back has missed nothing', async () => {
    const { client, agent } = await world(binding);
    const leaves = client.sendMessageStream(send(call('gated')));
    const first = (await leaves.next()).value?.payload;
    if (first?.$case !== 'task') throw new Error('no task');
    await leaves.return();
    const back = client.resubscribeTask({ id: first.value.id, tenant: '' });
    const again = await back.next();
    agent.gate.resolve();
    const payloads = [again.value?.payload, ...(await all(back))];
    const seen = payloads.flatMap((payload) => {
      if (payload?.$case === 'task') return [String(artifacts(payload.value)['text'] ?? '')];
      return payload?.$case === 'artifactUpdate' && payload.value.artifact?.name === 'text'
        ? [textOf({ ...message([]), parts: payload.value.artifact.parts })]
        : [];
    });
    expect(seen.join('')).toBe('before after');
    expect(artifacts(await client.getTask({ id: first.value.id, tenant: '' }))).toEqual({ text: 'before after', result: 'end' });
  });

  it('a task that ends while its first update is still on its way loses none of the others', async () => {
    const { client } = await world(binding);
    for (let n = 0; n < 5; n += 1) {
      const payloads = await all(client.sendMessageStream(send(call('add', { a: n, b: 1 }))));
      const last = payloads.at(-1);
      expect(last?.$case === 'task' ? last.value.status?.state : states(payloads).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    }
  });

  it('says which skills there are, and what is wrong with the arguments', async () => {
    const { client } = await world(binding);
    await expect(client.sendMessage(send(call('nope')))).rejects.toThrow(/greet, add, tells/);
    await expect(client.sendMessage(send(call('add', { a: 'x', b: 1 })))).rejects.toThrow(/a: /);
    await expect(client.getTask({ id: 'nope', tenant: '' })).rejects.toThrow(/no task/);
  });

  it('a failing skill is a failed task that shows no internals; a missing scope rejects it', async () => {
    const { client } = await world(binding);
    const failed = await task(client, send(call('fails')));
    expect(failed.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(JSON.stringify(failed)).toContain('skill_invocation_error');
    expect(JSON.stringify(failed)).not.toContain('internal detail');
    const closed = await task(client, send(call('closed')));
    expect(closed.status?.state).toBe(TaskState.TASK_STATE_REJECTED);
    expect(textOf(closed.status?.message)).toContain('missing_scopes');
  });
});

describe('A2A messages', () => {
  it.each<[string, readonly Part[], Record<string, unknown> | undefined, unknown]>([
    ['text to the only skill that takes a string', ['Ada'], undefined, 'Hello Ada'],
    ['text that names a skill', ['@add {"a": 2, "b": 3}'], undefined, { sum: 5 }],
    ['text that names a skill of one string', ['@greet Bob'], undefined, 'Hello Bob'],
    ['metadata that names the skill', [{ data: { a: 1, b: 1 } }], { skill: 'add' }, { sum: 2 }],
    ['metadata that names the skill, and text', ['Eve'], { skill: 'greet' }, 'Hello Eve'],
  ])('%s', async (_what, parts, metadata, expected) => {
    const { client } = await world();
    expect(artifacts(await task(client, send(parts, { metadata })))).toEqual({ result: expected });
  });

  it('without parts or words are refused', async () => {
    const { client } = await world();
    await expect(client.sendMessage(send([' ']))).rejects.toThrow(/neither text nor data/);
    await expect(client.sendMessage(send([]))).rejects.toThrow(/no parts/);
  });
});

describe('A2A messages that say no skill', () => {
  class Desk extends TaskAgent {
    shout = skill({ description: 'In capitals.', input: z.object({ text: z.string() }) }, async (_ctx, { text }) => text.toUpperCase());
  }
  const desk = async (binding: keyof typeof BINDINGS = 'JSON-RPC 1.0') => BINDINGS[binding]((await serve(Desk)).url);

  it.each(Object.keys(BINDINGS) as (keyof typeof BINDINGS)[])('ask which one, by form, and continue as that skill over %s', async (binding) => {
    const client = await desk(binding);
    const asked = await task(client, send(['hello there']));
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(textOf(asked.status?.message)).toContain('- shout: In capitals.');
    expect(asked.status?.message?.metadata).toMatchObject({ schema: { properties: { skill: { enum: expect.arrayContaining(['greet', 'shout']) } } } });
    await expect(client.sendMessage(send(['nonsense'], { taskId: asked.id }))).rejects.toThrow(/does not fit the form/);
    const done = await task(client, send([{ data: { skill: 'shout' } }], { taskId: asked.id }));
    expect(artifacts(done)).toEqual({ result: 'HELLO THERE' });
  });

  it('take a word for an answer, and ask for the arguments of a skill that words are not enough for', async () => {
    const client = await desk();
    const asked = await task(client, send(['two and three']));
    const again = await task(client, send(['add'], { taskId: asked.id }));
    expect(again.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(again.status?.message?.metadata).toMatchObject({ schema: { required: ['a', 'b'] } });
    expect(artifacts(await task(client, send([{ data: { a: 2, b: 3 } }], { taskId: asked.id })))).toEqual({ result: { sum: 5 } });
  });

  it('keep the arguments they brought, and the scopes the chosen skill needs', async () => {
    const client = await desk();
    const asked = await task(client, send([{ data: { a: 1, b: 1 } }]));
    expect(artifacts(await task(client, send(['add'], { taskId: asked.id })))).toEqual({ result: { sum: 2 } });
    const closed = await task(client, send(['let me in']));
    const refused = await task(client, send(['closed'], { taskId: closed.id }));
    expect(refused.status?.state).toBe(TaskState.TASK_STATE_REJECTED);
    expect(textOf(refused.status?.message)).toContain('missing_scopes');
  });
});

describe('A2A messages taken whole', () => {
  class Clerk extends Agent {
    name = 'clerk';
    description = 'For tests.';
    version = '1.0.0';
    override inputModes = ['text/plain', 'image/*'];
    respond = skill({ input: TaskMessage }, async (ctx, { messageId, parts }) => {
      if (messageId.startsWith('task')) await ctx.emitProgress('working');
      if (messageId.startsWith('ask')) {
        const next = TaskMessage.parse(JSON.parse(await ctx.ask('And?', 60, { schema: z.toJSONSchema(TaskMessage) })));
        return { parts: [{ text: next.messageId }] };
      }
      return { parts: [{ text: parts.map(({ text, raw, mediaType }) => text ?? `${mediaType} ${raw}`).join(' ') }] };
    });
  }
  const sent = (parts: Message['parts'], messageId = 'm1', more: Partial<Message> = {}) => ({
    ...send([]),
    message: { ...message([]), parts, messageId, ...more },
  });
  const picture = { content: { $case: 'raw' as const, value: Buffer.from('tck') }, metadata: undefined, filename: 'a.png', mediaType: 'image/png' };
  const words = message(['hi']).parts;

  it.each(Object.keys(BINDINGS) as (keyof typeof BINDINGS)[])('are answered by a message where no task is needed, over %s', async (binding) => {
    const client = await BINDINGS[binding]((await serve(Clerk)).url);
    const reply = await client.sendMessage(sent([...words, picture]));
    if ('id' in reply) throw new Error('a task instead of a message');
    expect([textOf(reply), reply.role]).toEqual(['hi image/png dGNr', Role.ROLE_AGENT]);
    const streamed = await all(client.sendMessageStream(sent(words)));
    expect(streamed.map(({ $case }) => $case)).toEqual(['message']);
    const tracked = await task(client, sent(words, 'task-1'));
    expect([tracked.status?.state, textOf(tracked.status?.message)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'hi']);
  });

  it('answer a question whole too', async () => {
    const client = await BINDINGS['JSON-RPC 1.0']((await serve(Clerk)).url);
    const streamed = await all(client.sendMessageStream(sent(words, 'ask-0')));
    expect(streamed.at(-1)).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } } });
    const asked = await task(client, sent(words, 'ask-1'));
    const done = await task(client, sent(words, 'answer-1', { taskId: asked.id }));
    expect(textOf(done.status?.message)).toBe('answer-1');
  });

  it('are refused with -32005 where they bring what the agent does not take', async () => {
    const client = await BINDINGS['JSON-RPC 1.0']((await serve(Clerk)).url);
    await expect(client.sendMessage(sent([{ ...picture, mediaType: 'application/x-other' }]))).rejects.toMatchObject({ name: 'ContentTypeNotSupportedError' });
    // Skills of plain arguments take no files.
    const { client: plain } = await world();
    await expect(plain.sendMessage(sent([picture]))).rejects.toMatchObject({ name: 'ContentTypeNotSupportedError' });
  });
});

describe('A2A refusals, as the specification names them', () => {
  const CURRENT = { 'a2a-version': '1.0' };
  const rpc = (served: Served, body: string, headers: Record<string, string> = {}) =>
    fetch(`${served.url}/a2a`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...CURRENT, ...headers } });

  it.each([
    ['no JSON', '{"jsonrpc": "2.0"', -32700],
    ['a list', '[]', -32600],
    ['another JSON-RPC', '{"jsonrpc":"1.0","method":"GetTask","params":{},"id":1}', -32600],
    ['no method', '{"jsonrpc":"2.0","params":{},"id":1}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","method":"GetTask","params":{},"id":{}}', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","method":"Get","params":{},"id":1}', -32601],
  ])('%s', async (_what, body, code) => {
    const { served } = await world();
    for (const headers of [CURRENT, { 'a2a-version': '0.3' }]) expect(await (await rpc(served, body, headers)).json()).toMatchObject({ error: { code } });
  });

  it('a wrong content type is 415 in every binding', async () => {
    const { served } = await world();
    const answer = await rpc(served, '{}', { 'content-type': 'text/plain' });
    expect([answer.status, await answer.json()]).toMatchObject([415, { error: { code: -32005, data: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } }]);
    const rest = await fetch(`${served.url}/message:send`, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain', ...CURRENT } });
    expect([rest.status, await rest.json()]).toMatchObject([415, { error: { code: 415, details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } }]);
    const old = await fetch(`${served.url}/v1/message:send`, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } });
    expect(old.status).toBe(415);
  });

  it('there is no extended card', async () => {
    const { served } = await world();
    const answer = await rpc(served, '{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}');
    expect(await answer.json()).toMatchObject({ error: { code: -32004 } });
    expect((await fetch(`${served.url}/extendedAgentCard`, { headers: CURRENT })).status).toBe(400);
    const old = await rpc(served, '{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}', { 'a2a-version': '0.3' });
    expect(await old.json()).toMatchObject({ error: { code: -32007 } });
  });

  it('historyLength cuts the history everywhere, and must be a whole number', async () => {
    const { client } = await world();
    const asked = await task(client, send(call('asks')));
    const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: false, historyLength: 1 };
    const next = await client.sendMessage({ ...send(['red'], { taskId: asked.id }), configuration });
    expect('id' in next && next.history.length).toBe(1);
    expect((await client.getTask({ id: asked.id, tenant: '', historyLength: 2 })).history).toHaveLength(2);
    expect((await client.getTask({ id: asked.id, tenant: '', historyLength: 0 })).history).toHaveLength(0);
    expect((await client.getTask({ id: asked.id, tenant: '' })).history.length).toBeGreaterThan(2);
    await expect(client.getTask({ id: asked.id, tenant: '', historyLength: -1 })).rejects.toThrow(/historyLength/);
  });

  it('a slash behind the address does no harm; the protocol’s own type is for those who name it', async () => {
    const { served } = await world();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } });
    expect((await fetch(`${served.url}/a2a/`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...CURRENT } })).status).toBe(200);
    expect((await fetch(`${served.url}/tasks/x/`, { headers: CURRENT })).headers.get('content-type')).toBe('application/json');
    const named = await fetch(`${served.url}/tasks/x`, { headers: { ...CURRENT, accept: 'application/a2a+json' } });
    expect(named.headers.get('content-type')).toBe('application/a2a+json');
  });
});

describe('A2A tasks', () => {
  it('are listed newest first, page by page, by context and state', async () => {
    const { client } = await world();
    const made: Task[] = [];
    for (let n = 0; n < 3; n += 1) made.push(await task(client, send(call('add', { a: n, b: n }), { contextId: n === 2 ? 'other' : 'same' })));
    const empty = { tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '', statusTimestampAfter: undefined };
    const first = await client.listTasks({ ...empty, pageSize: 2 });
    expect(first).toMatchObject({ totalSize: 3, pageSize: 2 });
    const second = await client.listTasks({ ...empty, pageSize: 2, pageToken: first.nextPageToken });
    expect(new Set([...first.tasks, ...second.tasks].map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)));
    expect(second.nextPageToken).toBe('');
    expect((await client.listTasks({ ...empty, contextId: 'same', includeArtifacts: true })).tasks.map(artifacts)).toContainEqual({ result: { sum: 2 } });
    expect((await client.listTasks({ ...empty, status: TaskState.TASK_STATE_FAILED })).tasks).toEqual([]);
  });

  it("are their caller's: another caller finds none of them", async () => {
    const agent = new TaskAgent();
    // Behind a platform, which names the caller beside the agent's key.
    const served = await serve(agent, { apiKey: 'key' });
    const as = (user: string | undefined) => (input: string | URL | Request, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', 'Bearer key');
      const claims = Buffer.from(JSON.stringify({ u: null, c: ['user', user] })).toString('base64url');
      if (user !== undefined) headers.set(HEADER.runToken, `svc_run_${claims}.mac`);
      headers.set(HEADER.runId, `run_${crypto.randomUUID()}`);
      return fetch(input, { ...init, headers });
    };
    const [ann, ben, nobody] = await Promise.all(['ann', 'ben', undefined].map((user) => BINDINGS['JSON-RPC 1.0'](served.url, as(user) as typeof fetch)));
    if (!ann || !ben || !nobody) throw new Error('no clients');
    const hers = await task(ann, send(call('asks')));
    const list = { tenant: '', contextId: '', status: TaskState.TASK_STATE_UNSPECIFIED, pageToken: '', statusTimestampAfter: undefined };
    expect((await ann.listTasks(list)).totalSize).toBe(1);
    expect((await ben.listTasks(list)).totalSize).toBe(0);
    await expect(ben.getTask({ id: hers.id, tenant: '' })).rejects.toThrow(/no task/);
    await expect(ben.cancelTask(byId(hers.id))).rejects.toThrow(/no task/);
    await expect(ben.sendMessage(send(['red'], { taskId: hers.id }))).rejects.toThrow(/no task/);
    // Callers nothing tells apart: by id, never by list.
    const theirs = await task(nobody, send(call('add', { a: 1, b: 1 })));
    expect((await nobody.getTask({ id: theirs.id, tenant: '' })).id).toBe(theirs.id);
    expect((await nobody.listTasks(list)).totalSize).toBe(0);
  });

  it('take the same authentication as every other route', async () => {
    class Closed extends TaskAgent {
      override authModel = APIKeyAuth;
      override authResolver = new StaticAuthResolver({ apiKeyId: 'someone', scopes: ['b'] });
    }
    const open = await serve(Closed);
    const client = await BINDINGS['HTTP+JSON 1.0'](open.url);
    expect((await task(client, send(call('closed')))).status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const keyed = await serve(TaskAgent, { apiKey: 'key' });
    for (const path of ['/a2a', '/message:send', '/v1/message:send']) expect((await keyed.refusal(path, {})).status, path).toBe(401);
    expect((await keyed.post('/a2a', {}, { headers: { authorization: 'Bearer key', origin: 'https://evil.example' } })).status).toBe(403);
    const forged = await keyed.refusal('/message:send', {}, { headers: { authorization: 'Bearer key', [HEADER.grant]: 'forged.token' } });
    expect(forged).toMatchObject({ status: 403, detail: { code: 'grant_invalid' } });
  });
});

describe('A2A discovery', () => {
  it('the card names both bindings in both versions, at both well-known places', cites('endpoints.a2a'), async () => {
    const { served } = await world();
    const current = await (await fetch(`${served.url}/.well-known/agent-card.json`, { headers: { 'a2a-version': '1.0' } })).json();
    expect(current).toMatchObject({
      name: 'task-agent',
      version: '1.2.3',
      capabilities: { streaming: true, pushNotifications: true },
      supportedInterfaces: [
        { url: `${served.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: served.url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url: `${served.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { url: served.url, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ],
    });
    expect(current).not.toHaveProperty('url');
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      const old: unknown = await (await fetch(served.url + path)).json();
      expect(old, path).toMatchObject({ url: `${served.url}/a2a`, preferredTransport: 'JSONRPC', protocolVersion: expect.stringMatching(/^0\.3/) });
    }
    // Ours stays what it is.
    expect(await (await fetch(`${served.url}/.well-known/agent-card`)).json()).toHaveProperty('runtime');
  });

  it('a version that is not served is said', async () => {
    const { served } = await world();
    const rpc = await served.post('/a2a', { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } }, { headers: { 'a2a-version': '2.0' } });
    expect(await rpc.json()).toMatchObject({ id: 1, error: { code: -32009 } });
    const rest = await fetch(`${served.url}/tasks/x`, { headers: { 'a2a-version': '2.0' } });
    expect(rest.status).toBe(400);
  });
});

describe('A2A cards', () => {
  it('may be kept: asked again by their tag they are 304', async () => {
    const { served } = await world();
    const card = `${served.url}/.well-known/agent-card.json`;
    const first = await fetch(card);
    expect(first.headers.get('cache-control')).toContain('max-age=');
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(card, { headers: { 'if-none-match': `"other", ${tag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    expect((await fetch(card, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    expect((await fetch(`${served.url}/a2a/.well-known/agent-card.json`)).headers.get('etag')).toBe(tag);
  });

  it('say what each skill needs, with examples that work', async () => {
    const { client } = await world();
    const { skills } = await client.getAgentCard();
    expect(skills.find(({ id }) => id === 'closed')?.securityRequirements).toEqual([{ schemes: { bearer: { list: ['b'] } } }]);
    for (const id of ['greet', 'add']) {
      const [example = ''] = skills.find((one) => one.id === id)?.examples ?? [];
      expect((await task(client, send([example]))).status?.state, example).toBe(TaskState.TASK_STATE_COMPLETED);
    }
  });
});

describe('A2A push notifications', () => {
  it('are tried again, in order, until the address takes them; with all credentials; and end with their deletion', async () => {
    const heard: { body: unknown; token: unknown; authorization: unknown }[] = [];
    let refusals = 1;
    const receiver = createServer(async (req, res) => {
      const body: unknown = JSON.parse(await text(req));
      res.statusCode = refusals-- > 0 ? 503 : 200;
      if (res.statusCode === 200) heard.push({ body, token: req.headers['x-a2a-notification-token'], authorization: req.headers.authorization });
      res.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const address = receiver.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { client } = await world('JSON-RPC 0.3');
    const asked = await task(client, send(call('asks')));
    const authentication = { scheme: 'Bearer', credentials: 'c-1' };
    const given = { tenant: '', id: '', taskId: asked.id, url: `http://127.0.0.1:${address.port}/hook`, token: 't-1', authentication };
    await client.createTaskPushNotificationConfig(given);
    // Clients of 0.3 name it by its task alone.
    expect((await client.getTaskPushNotificationConfig({ tenant: '', taskId: asked.id, id: '' })).url).toBe(given.url);
    await task(client, send(['red'], { taskId: asked.id }));
    await vi.waitFor(() => expect(heard).toHaveLength(2), { timeout: 5000 });
    expect(heard.map(({ body }) => JSON.stringify(body).match(/"state":"([^"]+)"/)?.[1])).toHaveLength(2);
    expect(heard.every(({ token, authorization }) => token === 't-1' && authorization === 'Bearer c-1')).toBe(true);
    const injected = { ...given, id: 'x', token: 'a\r\nx-evil: 1' };
    await expect(client.createTaskPushNotificationConfig(injected)).rejects.toThrow(/plain ASCII/);
  });

  it('reach the address with the token the client gave, in order, and end with the result', async () => {
    const heard: { token: string | undefined; body: unknown }[] = [];
    const receiver = createServer(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      heard.push({ token: req.headers['x-a2a-notification-token']?.toString(), body: JSON.parse(Buffer.concat(chunks).toString()) });
      res.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const address = receiver.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { client, agent } = await world();
    const begun = await task(client, send(call('gated'), {}, true));
    const config = { tenant: '', id: '', taskId: begun.id, url: `http://localhost:${address.port}/hook`, token: 'secret-1', authentication: undefined };
    const saved = await client.createTaskPushNotificationConfig(config);
    expect(saved.id).not.toBe('');
    expect((await client.listTaskPushNotificationConfig({ taskId: begun.id, tenant: '', pageSize: 0, pageToken: '' })).configs).toHaveLength(1);
    agent.gate.resolve();
    await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(2));
    expect(heard.every(({ token }) => token === 'secret-1')).toBe(true);
    expect(heard.map(({ body }) => Object.keys(z.record(z.string(), z.unknown()).parse(body))[0])).toEqual(['artifactUpdate', 'statusUpdate']);
    expect(heard.at(-1)?.body).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    await client.deleteTaskPushNotificationConfig({ taskId: begun.id, id: saved.id, tenant: '' });
    expect((await client.listTaskPushNotificationConfig({ taskId: begun.id, tenant: '', pageSize: 0, pageToken: '' })).configs).toHaveLength(0);
  });

  it.each([
    'http://169.254.169.254/latest',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://2130706433/',
    'http://localhost:9/',
    'https://app.localhost/',
    'http://[::ffff:127.0.0.1]/',
    'ftp://files.example/',
    'http://u:p@files.example/',
  ])('are refused to %s', async (url) => {
    const agent = await serve(TaskAgent, { apiKey: 'key' });
    const keyed = ((input: string | URL | Request, init?: RequestInit) =>
      fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: 'Bearer key' } })) as typeof fetch;
    const client = await BINDINGS['JSON-RPC 1.0'](agent.url, keyed);
    const done = await task(client, send(call('add', { a: 1, b: 1 })));
    await expect(client.createTaskPushNotificationConfig({ tenant: '', id: '', taskId: done.id, url, token: '', authentication: undefined })).rejects.toThrow(
      /push address/,
    );
  });

  it('are not offered by an agent that does not declare them', async () => {
    class Quiet extends TaskAgent {
      override capabilities = { push_notifications: false };
    }
    const served = await serve(Quiet);
    expect((await cardOf(served.url)).capabilities?.pushNotifications).toBe(false);
    const params = { taskId: 'x', url: 'https://files.example/' };
    const answer = await served.post(
      '/a2a',
      { jsonrpc: '2.0', id: 1, method: 'CreateTaskPushNotificationConfig', params },
      { headers: { 'a2a-version': '1.0' } },
    );
    expect(await answer.json()).toMatchObject({ error: { code: -32003 } });
  });
});
