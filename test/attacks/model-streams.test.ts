// A model endpoint that writes its stream so that a hurried reader does not find its events: lone CRs, line
// ends that are mixed, a last event without its empty line, one event in a million pieces. And an agent whose
// model goes on speaking when its run has long ended.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readEvents } from '#contract/wire/event-stream.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { endCall } from '#core/runs/call/end.ts';
import { succeeded } from '#core/runs/run/outcome.ts';
import type { TestRun } from '../support/runs.ts';
import { body, CHAT_COST, modelAttack, type ModelAttack, PATHS, KEYS, PRICE } from './model-attacker.ts';

let it: ModelAttack;
/** What the endpoint does with its answer. */
let speak: (response: ServerResponse) => void;
let left: number;
/** What it was sent last. */
let sent = '';
const endpoint = createServer((request, response) => {
  response.on('close', () => void (left += response.writableFinished ? 0 : 1));
  void text(request).then((whole) => {
    sent = whole;
    speak(response.writeHead(200, { 'content-type': 'text/event-stream' }));
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  // Safe: it listens on a port, not on a path.
  const host = `127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  it = await modelAttack([host]);
  const common = { base_url: `http://${host}/v1`, model: 'm-1', price: PRICE, agent_run_budget_micros: 1_000_000 };
  await it.world.as('ada').llmCreds.put({ body: { ...common, name: 'main', provider: 'openai_compatible', api_key: KEYS.openai } });
});
afterAll(async () => {
  endpoint.closeAllConnections();
  endpoint.close();
  await it.close();
});
beforeEach(async () => {
  left = 0;
  for (const table of ['llm_usage', 'llm_spending', 'llm_caps']) await it.world.ctx.db(table).delete();
});

const uses = () => it.world.ctx.db('llm_usage').orderBy('usage_id');
const chunk = (more: object) => JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', ...more });
const said = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null });
const counted = chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 40 } } });

async function ask(run?: TestRun): Promise<Response> {
  const asking = run ?? it.run(await it.agent());
  const headers = { authorization: `Bearer ${await it.token(asking)}`, 'content-type': 'application/json' };
  return fetch(it.world.url + PATHS.chat, { method: 'POST', headers, body: JSON.stringify({ ...body('m-1'), stream: true }) });
}

async function heard(response: Response): Promise<string[]> {
  const events = await Array.fromAsync(readEvents(response.body ?? new ReadableStream(), { maxLength: 100_000 }));
  return events.map(({ data }) => data);
}

async function withReceipt({ actor }: TestRun): Promise<void> {
  const route = await resolveRoute(it.world.ctx, actor.agent_name);
  if (!route) throw new Error('no route');
  const facts = { caller: { kind: 'user', id: it.ada, userId: it.ada } as const, route, skill: 'work', inputSha256: 'a'.repeat(64) };
  await endCall(it.world.ctx, { ...facts, startedAt: actor.started_at, run: { ...actor, job_id: null }, grantId: null }, succeeded(1));
}

async function settled() {
  await vi.waitFor(async () => expect((await uses()).map(({ state }) => state)).not.toContain('running'), 10_000);
  return uses();
}

const CASES: [string, (events: string[]) => string][] = [
  ['lone CRs', (events) => events.map((data) => `data: ${data}\r\r`).join('')],
  ['CRLF', (events) => events.map((data) => `data: ${data}\r\n\r\n`).join('')],
  ['line ends that are mixed', (events) => events.map((data) => `data: ${data}\r\n\n`).join('')],
  ['others', (events) => events.map((data) => `data: ${data}\n\r\n`).join('')],
  ['lone CRs before LFs', (events) => events.map((data) => `:\rdata: ${data}\n\r`).join('')],
  ['data in two lines', (events) => events.map((data) => `data: {\rdata: ${data.slice(1)}\r\n\r`).join('')],
  [
    'a last event without its empty line',
    (events) =>
      events
        .map((data) => `data: ${data}\n\n`)
        .join('')
        .slice(0, -1),
  ],
  [
    'a last event without its line end',
    (events) =>
      events
        .map((data) => `data: ${data}\n\n`)
        .join('')
        .slice(0, -2),
  ],
];
test.each(CASES)('%s: each word is counted, and the usage that the caller did not ask for is not shown', async (_name, written) => {
  speak = (response) => void response.end(written([said('Hel'), said('lo'), counted]));
  expect(JSON.stringify(await heard(await ask())).match(/Hel|lo|usage/g)).toEqual(['Hel', 'lo']);
  expect(await settled()).toMatchObject([{ state: 'ok', estimated: false, output_tokens: 20, cost_micros: CHAT_COST }]);
});

test.each(['\n', '\r', '\r\n'])('an event that ends with %j is there before the next one comes', async (end) => {
  const more = Promise.withResolvers<void>();
  speak = (response) => {
    response.write(`data: ${said('first ')}${end}${end}`);
    void more.promise.then(() => response.end(`data: ${counted}${end}${end}`));
  };
  const events = readEvents((await ask()).body ?? new ReadableStream(), { maxLength: 100_000 });
  expect((await events.next()).value).toMatchObject({ data: expect.stringContaining('first') });
  more.resolve();
  await Array.fromAsync(events);
  expect(await settled()).toMatchObject([{ output_tokens: 20 }]);
});

test('one event in a hundred thousand pieces holds nobody up, and an event without an end is refused', async () => {
  const piece = 'x'.repeat(64);
  speak = async (response) => {
    response.write(`data: ${said('first ')}\n\ndata: {"x":"`);
    for (let at = 0; at < 100_000 && !response.destroyed; at += 1) if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
    response.end(`"}\n\ndata: ${counted}\n\n`);
  };
  const events = await Array.fromAsync(readEvents((await ask()).body ?? new ReadableStream(), { maxLength: 10_000_000 }));
  expect(events.map(({ data }) => data.length > 6_400_000)).toEqual([false, true]);
  expect(await settled()).toMatchObject([{ state: 'ok', output_tokens: 20 }]);
  speak = async (response) => {
    while (!response.destroyed) if (!response.write('x'.repeat(65_536))) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  };
  await expect(ask().then((response) => response.text())).rejects.toThrow();
  expect((await settled()).at(-1)).toMatchObject({ state: 'failed', error_code: 'model_bad_answer' });
});

test('a stream ends with its run: when the run has its receipt, or its agent is gone, the endpoint is left and nothing more is charged', async () => {
  speak = (response) => void response.write(`data: ${said('first ')}\n\n`);
  const endings: ((run: TestRun) => Promise<unknown>)[] = [
    (run) => withReceipt(run),
    (run) => it.world.ctx.db('instances').where({ deploy_id: run.actor.deploy_id }).update({ state: 'stopped' }),
  ];
  for (const [at, end] of endings.entries()) {
    const run = it.run(await it.agent());
    const answer = (await ask(run)).body?.getReader();
    await answer?.read();
    await end(run);
    await expect(answer?.read()).rejects.toThrow();
    await vi.waitFor(() => expect(left).toBe(at + 1), 10_000);
    expect((await settled()).at(-1)).toMatchObject({ state: 'cancelled' });
  }
});

test('the digits of a request reach the endpoint as they were sent, and a limit that is no number is refused', async () => {
  speak = (response) => void response.end(`data: ${counted}\n\n`);
  const post = async (more: string): Promise<number> => {
    const headers = { authorization: `Bearer ${await it.token(it.run(await it.agent()))}`, 'content-type': 'application/json' };
    const asked = `{"model":"m-1","stream":true,"messages":[],${more}}`;
    const response = await fetch(it.world.url + PATHS.chat, { method: 'POST', headers, body: asked });
    await response.text();
    return response.status;
  };
  const schema = '{"type":"integer","maximum":18446744073709551615,"default":9007199254740993}';
  expect(await post(`"max_tokens":5,"tools":[{"type":"function","function":{"name":"x","parameters":${schema}}}]`)).toBe(200);
  expect(sent).toContain(schema);
  expect(await post('"max_tokens":18446744073709551615')).toBe(400);
});
