// What unstorable-messages.test.ts sends over HTTP, by gRPC, in both generations of the protocol: U+0000 and
// half characters in each text, numbers and depths that JSON does not hold, messages and metadata without
// end. Each is answered as the same message is over HTTP; the server goes on, and none is a fault of ours.
import { connect as connectHttp2 } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { spoiled } from '../api/walk.ts';
import { mcpWorld, type McpWorld } from '../protocols/mcp-world.ts';

class Echo extends Agent {
  override name = 'echo';
  override description = 'For tests.';
  override version = '1.0.0';
  override concurrency = 8;
  say = skill({ input: z.object({ text: z.string(), more: z.unknown().optional() }) }, async (ctx, { text }) => {
    await ctx.emitProgress(text, { progress: 1, total: 1 });
    await ctx.writeArtifact('said.txt', text, 'text/plain');
    return { text };
  });
}

let it: McpWorld;
let client: Client;
beforeAll(async () => {
  it = await mcpWorld((name) => Object.assign(new Echo(), { name }));
  client = new Client(new URL(it.url).host, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await it.close();
});

type Service = 'current' | 'legacy';
/** What is used of a method's definition. */
interface Method {
  path: string;
  responseStream: boolean;
  requestSerialize(value: unknown): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}
// Safe: both are tables of methods.
const methods = { current: A2AService, legacy: LegacyA2AService } as unknown as Record<Service, Record<string, Method>>;
const methodOf = (service: Service, name: string): Method => {
  const method = methods[service][name];
  if (!method) throw new Error(`${service} has no ${name}`);
  return method;
};

/** A private character takes as many bytes as half a pair of surrogates, which no encoder writes. */
const HALF = '\ue000';
const halved = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('latin1').replaceAll('\xee\x80\x80', '\xed\xa0\x80'), 'latin1');

interface Answer {
  code: status;
  said: string;
}

const WITHIN_MS = 60_000;

function send(
  { path, responseStream, responseDeserialize }: Pick<Method, 'path' | 'responseStream' | 'responseDeserialize'>,
  bytes: Buffer,
  more: Record<string, string | Buffer> = {},
): Promise<Answer> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ authorization: `Bearer ${it.world.tokens.ada}`, ...more })) metadata.set(name, value);
  const options = { deadline: Date.now() + WITHIN_MS };
  const refused = ({ code, details }: ServiceError): Answer => ({ code, said: details });
  return new Promise((resolve) => {
    const answered = (error: ServiceError | null, value: unknown): void => resolve(error ? refused(error) : { code: status.OK, said: JSON.stringify(value) });
    if (!responseStream) return void client.makeUnaryRequest(path, (given: Buffer) => given, responseDeserialize, bytes, metadata, options, answered);
    const said: unknown[] = [];
    const stream = client.makeServerStreamRequest(path, (given: Buffer) => given, responseDeserialize, bytes, metadata, options);
    stream.on('data', (value) => said.push(value)).on('error', (error: ServiceError) => resolve(refused(error)));
    stream.on('end', () => resolve({ code: status.OK, said: JSON.stringify(said) }));
  });
}

/** As bytes of HTTP/2; what ends the answer. */
async function raw(body: Buffer, more: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const session = connectHttp2(new URL(it.url).origin);
  const stream = session.request({
    ':method': 'POST',
    ':path': methodOf('current', 'sendMessage').path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...more,
  });
  stream.end(body);
  const trailers = await new Promise<Record<string, unknown>>((resolve) => {
    let head: Record<string, unknown> = {};
    stream.on('response', (headers) => (head = headers)).on('trailers', resolve).on('close', () => resolve(head)).on('error', () => resolve(head)).resume(); // prettier-ignore
  });
  session.destroy();
  return trailers;
}

const text = '@say {"text": "hello"}';
const message = (value = text): object => ({
  messageId: 'm1',
  contextId: 'c1',
  taskId: '',
  role: 1,
  parts: [{ content: { $case: 'text', value }, metadata: { of: 'mine' }, filename: 'f', mediaType: 'text/plain' }],
  metadata: { of: 'mine' },
  extensions: ['urn:x'],
  referenceTaskIds: ['t0'],
});
const configuration = { acceptedOutputModes: ['text/plain'], taskPushNotificationConfig: undefined, returnImmediately: false };
const request = (of: object = message()): object => ({ tenant: '', message: of, configuration, metadata: { of: 'mine' } });
const pushed = {
  tenant: '',
  taskId: 't1',
  id: 'p1',
  url: 'https://example.test/push',
  token: 'token',
  authentication: { scheme: 'Bearer', credentials: 'secret' },
};
const old = {
  request: {
    messageId: 'm1',
    contextId: 'c1',
    taskId: '',
    role: 1,
    content: [{ part: { $case: 'text', value: text }, metadata: { of: 'mine' } }],
    metadata: { of: 'mine' },
    extensions: ['urn:x'],
  },
  configuration: { acceptedOutputModes: ['text/plain'], blocking: true, historyLength: 0, pushNotification: undefined },
  metadata: { of: 'mine' },
};
const REQUESTS: [service: Service, name: string, valid: object][] = [
  ['current', 'sendMessage', request()],
  ['current', 'sendStreamingMessage', request()],
  ['current', 'getTask', { tenant: '', id: 't1' }],
  ['current', 'listTasks', { tenant: '', contextId: 'c1', status: 0, pageToken: 'x' }],
  ['current', 'cancelTask', { tenant: '', id: 't1', metadata: { of: 'mine' } }],
  ['current', 'subscribeToTask', { tenant: '', id: 't1' }],
  ['current', 'createTaskPushNotificationConfig', pushed],
  ['current', 'getTaskPushNotificationConfig', { tenant: '', taskId: 't1', id: 'p1' }],
  ['current', 'getExtendedAgentCard', { tenant: '' }],
  ['legacy', 'sendMessage', old],
  ['legacy', 'sendStreamingMessage', old],
  ['legacy', 'getTask', { name: 'tasks/t1', historyLength: 0 }],
  ['legacy', 'cancelTask', { name: 'tasks/t1' }],
];

/**
 * -32603 and internal: the protocol's own words for a fault of the server; UNKNOWN, INTERNAL and DATA_LOSS:
 * gRPC's.
 */
const isFault = ({ code, said }: Answer): boolean =>
  [status.UNKNOWN, status.INTERNAL, status.DATA_LOSS, status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED].includes(code) ||
  /-32603|"internal|failed to answer/.test(said);

test.each(REQUESTS)('%s %s: U+0000 and half characters in each text', async (service, name, valid) => {
  const method = methodOf(service, name);
  const first = await send(method, method.requestSerialize(valid));
  expect(isFault(first), JSON.stringify(first)).toBe(false);
  const wrong: unknown[] = [];
  let sent = 0;
  for (const { at, value } of spoiled(valid, [])) {
    if (at.at(-1) === '$case') continue;
    // The walk spoils with both; JSON holds the half as it is, the protocol's bytes hold it only so.
    const bytes = halved(method.requestSerialize(JSON.parse(JSON.stringify(value).replaceAll('\\ud800', HALF))));
    const answer = await send(method, bytes);
    sent += 1;
    if (isFault(answer)) wrong.push([at.join('.'), answer]);
  }
  expect(sent).toBeGreaterThan(0);
  expect(wrong).toEqual([]);
});

test('a message with U+0000 is answered as it is over HTTP', async () => {
  const method = methodOf('current', 'sendMessage');
  const said = '@say {"text": "before\\u0000after"}';
  const byGrpc = await send(method, method.requestSerialize(request(message(said))));
  expect(byGrpc.code).toBe(status.OK);
  expect(byGrpc.said).toContain('before\\u0000after');
});

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let left = value; ; left >>>= 7) {
    bytes.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) return Buffer.from(bytes);
  }
}
const head = (number: number, length: number): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2]), varint(length)]);
const field = (number: number, body: Buffer): Buffer => Buffer.concat([head(number, body.length), body]);
/** google.protobuf.Value and ListValue: the numbers of a list in a value, and of a value in a list. */
const LIST = 6;
const VALUE = 1;
const METADATA = 4;
/** The message with that value in its metadata, by its bytes. */
const withValue = (value: Buffer): Buffer =>
  Buffer.concat([methodOf('current', 'sendMessage').requestSerialize({ ...request(), metadata: undefined }), field(METADATA, field(1, Buffer.concat([field(1, Buffer.from('of')), field(2, value)])))]); // prettier-ignore

/** A list in a list, so often: heads alone, put together from the inside. */
function nested(depth: number): Buffer {
  const heads: Buffer[] = [];
  let size = 0;
  for (let n = 0; n < 2 * depth; n += 1) {
    const one = head(n % 2 === 0 ? VALUE : LIST, size);
    heads.push(one);
    size += one.length;
  }
  return withValue(Buffer.concat(heads.toReversed()));
}
const repeated = (one: Buffer, times: number): Buffer => Buffer.alloc(one.length * times, one);

test.each([50, 5_000, 200_000])('lists in lists, %i deep, are refused or taken, and no fault', async (depth) => {
  const method = methodOf('current', 'sendMessage');
  const answer = await send(method, nested(depth));
  expect(isFault(answer), JSON.stringify(answer).slice(0, 500)).toBe(false);
});

test.each([
  ['empty parts', () => field(2, repeated(head(5, 0), 3_000_000))],
  ['fields that nobody knows', () => repeated(head(9, 0), 3_500_000)],
  ['empty values of a list', () => withValue(field(LIST, repeated(head(VALUE, 0), 3_500_000)))],
])('millions of %s, from who has not signed in: refused after the first of them', async (_name, made) => {
  const reads = vi.spyOn(BinaryReader.prototype, 'skip');
  const answer = await send(methodOf('current', 'sendMessage'), made(), { authorization: 'Bearer svc_forged' });
  expect(answer).toEqual({ code: status.INVALID_ARGUMENT, said: expect.stringContaining('too many fields') });
  expect(reads.mock.calls.length).toBeLessThan(60_000);
  reads.mockRestore();
});

test('a small message that unpacks to 200 MB is not read', async () => {
  const packed = gzipSync(Buffer.alloc(200_000_000, 'x'));
  const trailers = await raw(Buffer.concat([Buffer.from([1]), Buffer.from(Uint32Array.of(packed.length).buffer).swap32(), packed]), {
    'grpc-encoding': 'gzip',
  });
  expect(Number(trailers['grpc-status'])).toBe(status.RESOURCE_EXHAUSTED);
});

test.each([NaN, Infinity, -Infinity, 1e308, 2 ** 53 + 2])('the number %d in metadata', async (of) => {
  const method = methodOf('current', 'sendMessage');
  const answer = await send(method, method.requestSerialize({ ...request(), metadata: { of } }));
  expect(isFault(answer), JSON.stringify(answer)).toBe(false);
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('metadata named %s', async (name) => {
  const method = methodOf('current', 'sendMessage');
  const metadata: object = JSON.parse(`{"${name}": {"polluted": "yes"}}`);
  const answer = await send(method, method.requestSerialize({ ...request(), metadata }));
  expect(isFault(answer), JSON.stringify(answer)).toBe(false);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test('bytes that are no message', async () => {
  const method = methodOf('current', 'sendMessage');
  for (const bytes of [Buffer.from('ffffffffffffffffffff', 'hex'), Buffer.from('0aff', 'hex'), Buffer.alloc(1_000, 0x0a), Buffer.from('12ffffffff0f', 'hex')]) {
    const { code, said } = await send(method, bytes);
    expect([bytes.subarray(0, 6).toString('hex'), code, said]).toEqual([bytes.subarray(0, 6).toString('hex'), status.INVALID_ARGUMENT, expect.any(String)]);
  }
});

test('a message larger than over HTTP is refused', async () => {
  const method = methodOf('current', 'sendMessage');
  expect(await send(method, method.requestSerialize(request(message('x'.repeat(9 * 1024 * 1024)))))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
});

test('metadata of a call: bytes in it, names of the platform, much of it', async () => {
  const method = methodOf('current', 'sendMessage');
  const bytes = method.requestSerialize(request());
  const answers = [
    await send(method, bytes, { 'x-odd-bin': Buffer.from([0, 255, 0xed, 0xa0, 0x80]) }),
    await send(method, bytes, { 'x-svc-run-id': 'run_mine', 'x-svc-caller': 'usr_root', x_svc_caller: 'usr_root' }),
    await send(method, bytes, { 'x-long': 'x'.repeat(12_000) }),
    await send(method, bytes, { 'a2a-version': 'x'.repeat(5_000) }),
    await send(method, bytes, { host: 'another.localhost' }),
  ];
  expect(answers.filter(isFault)).toEqual([]);
});

test('paths that are no method, and a body that is no gRPC', async () => {
  const none = { responseStream: false, responseDeserialize: (bytes: Buffer) => bytes };
  for (const path of ['/lf.a2a.v1.A2AService/Nothing', '/nothing', '/', `/${'x'.repeat(10_000)}`])
    expect(await send({ ...none, path }, Buffer.alloc(0))).toMatchObject({ code: status.UNIMPLEMENTED });
  const trailers = await raw(Buffer.from('not the five bytes of a frame'));
  expect(Number(trailers['grpc-status'])).not.toBe(status.OK);
  const method = methodOf('current', 'getExtendedAgentCard');
  expect(isFault(await send(method, method.requestSerialize({ tenant: '' })))).toBe(false);
});
