// gRPC at an agent's address, on the port of HTTP: by the official clients, through the ingress.
import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { Role, TaskState, type Message } from '@a2a-js/sdk';
import { ChannelCredentials, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { PYTHON, WITHOUT_PYTHON } from '../support/languages/python.ts';
import { officialPython } from './a2a-python.ts';
import { hosted, type Hosted, type HostedOptions } from './a2a-world.ts';
import { TaskAgent } from './a2a-agent.ts';
import { taskFixture } from './task-fixture.ts';

async function world(options: HostedOptions = {}): Promise<Hosted & { agent: TaskAgent }> {
  const agent = new TaskAgent();
  const made = await hosted(agent, options);
  onTestFinished(made.stop);
  return { ...made, agent };
}

const message = (value: unknown, more: Partial<Message> = {}): Message => ({
  messageId: crypto.randomUUID(),
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts: [{ content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});
const send = (value: unknown, more?: Partial<Message>) => ({ tenant: '', message: message(value, more), configuration: undefined, metadata: undefined });

/** `token`: who may see the card; its calls carry their own. */
async function clientOf(url: string, token?: string) {
  const transports = [new GrpcTransportFactory({ grpcChannelCredentials: ChannelCredentials.createInsecure() })];
  const fetchImpl: typeof fetch = (input, init) => fetch(input, token === undefined ? init : { ...init, headers: { authorization: `Bearer ${token}` } });
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
  return new ClientFactory({ transports, preferredTransports: ['GRPC'], cardResolver }).createFromUrl(url);
}

const bearer = (token: string) => ({ serviceParameters: { authorization: `Bearer ${token}` } });

test('the official JavaScript client calls, streams, answers, cancels; each message goes through the domain, which seals receipts', async () => {
  const { url, calls } = await world();
  const client = await clientOf(url);
  const done = await client.sendMessage(send({ skill: 'add', args: { a: 2, b: 3 } }));
  expect(done).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED }, artifacts: [{ parts: [{ content: { value: { sum: 5 } } }] }] });
  const events = await Array.fromAsync(client.sendMessageStream(send({ skill: 'tells', args: {} })));
  expect(events[0]?.payload?.$case).toBe('task');
  const asked = await client.sendMessage(send({ skill: 'asks', args: {} }));
  if (!('id' in asked)) throw new Error('no task');
  expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const cancelled = await client.cancelTask({ id: asked.id, tenant: '', metadata: {} });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(client.getTask({ id: 'nope', tenant: '' })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
  expect(calls.filter(({ path }) => path === '/a2a').length).toBeGreaterThanOrEqual(3);
});

test('an unlisted agent is its owner’s by gRPC too', async () => {
  const { url, calls } = await world({ visibility: 'unlisted' });
  await expect(clientOf(url)).rejects.toThrow('404');
  const client = await clientOf(url, 'svc_ada');
  const wanted = send({ skill: 'add', args: { a: 1, b: 1 } });
  await expect(client.sendMessage(wanted)).rejects.toMatchObject({ cause: { code: status.UNAUTHENTICATED } });
  await expect(client.sendMessage(wanted, bearer('svc_forged'))).rejects.toMatchObject({ cause: { code: status.UNAUTHENTICATED } });
  await expect(Array.fromAsync(client.sendMessageStream(wanted))).rejects.toMatchObject({ cause: { code: status.UNAUTHENTICATED } });
  expect(calls).toEqual([]);
  expect(await client.sendMessage(wanted, bearer('svc_ada'))).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } });
  expect(calls).toMatchObject([{ actor: 'usr_ada' }]);
});

test('a caller that goes away ends its request, and HTTP/1 continues beside it, whatever pieces its first bytes come in', async () => {
  const { url, agent } = await world();
  const client = await clientOf(url);
  const ending = new AbortController();
  const reading = Array.fromAsync(client.sendMessageStream(send({ skill: 'gated', args: {} }), { signal: ending.signal })).catch((error: unknown) => error);
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  for (const piece of ['P', 'R', 'OPFIND /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n']) socket.write(piece);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 /);
  const health = await new Promise<number | undefined>((resolve) => request(`${url}/healthz`, (answer) => resolve(answer.resume().statusCode)).end());
  expect(health).toBe(200);
  ending.abort();
  await reading;
  agent.gate.resolve();
});

test.skipIf(!PYTHON).each(['GRPC', 'JSONRPC', 'HTTP+JSON'])(`the official Python client talks over %s (${WITHOUT_PYTHON})`, async (binding) => {
  const { url, stop } = await hosted(await taskFixture());
  onTestFinished(stop);
  const { stdout } = await promisify(execFile)(await officialPython(), [`${import.meta.dirname}/a2a_official.py`, url, binding], { timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual({
    stream: expect.arrayContaining(['task']),
    reply: 'Direct message response',
    asked: 'TASK_STATE_INPUT_REQUIRED',
    answered: true,
    followed: 'TASK_STATE_COMPLETED',
    cancelled: 'TASK_STATE_CANCELED',
    missing: 'TaskNotFoundError',
  });
});

test.skipIf(!PYTHON)(`the official Python package verifies our cards, and refuses changed ones (${WITHOUT_PYTHON})`, async () => {
  const { url, stop } = await hosted(await taskFixture());
  onTestFinished(stop);
  const { stdout } = await promisify(execFile)(await officialPython(), [`${import.meta.dirname}/a2a_official.py`, url, 'cards'], { timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual({ current: 'verified', both: 'verified' });
});
