// The task protocol (A2A), driven by the official client over every binding and version an agent serves.
import { createServer } from 'node:http';
import { Role, TaskState, type Message, type StreamResponse, type Task } from '@a2a-js/sdk';
import { Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { StaticAuthResolver } from '../../sdk/typescript/authoring/resolvers.ts';
import { APIKeyAuth } from '../../sdk/typescript/authoring/auth.ts';
import { HEADER } from '../../contract/wire/headers.ts';
import { controlPlane } from '../../sdk/typescript/platform/control-plane.ts';
import { platformPeer } from '../../sdk/typescript/support/platform-peer.ts';
import { serve, type Served } from '../../sdk/typescript/support/serve.ts';
import { TaskAgent } from './a2a-agent.ts';

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
    expect(peer.seen.map(({ route }) => route)).toEqual(['ask', 'ask']);
  });

  it('cancels', async () => {
    const { client, agent } = await world(binding);
    const begun = await task(client, send(call('waits'), {}, true));
    await vi.waitFor(async () => expect((await client.getTask({ id: begun.id, tenant: '' })).status?.state).toBe(TaskState.TASK_STATE_WORKING));
    expect((await client.cancelTask(byId(begun.id))).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await vi.waitFor(() => expect(agent.stopped).toBe(1));
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

  it('that say no skill are refused with the way to say it', async () => {
    const { client } = await world();
    await expect(client.sendMessage(send([{ data: { a: 1 } }]))).rejects.toThrow(/"skill"/);
    await expect(client.sendMessage(send([]))).rejects.toThrow(/no parts/);
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
  it('the card names both bindings in both versions, at both well-known places', async () => {
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

describe('A2A push notifications', () => {
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
