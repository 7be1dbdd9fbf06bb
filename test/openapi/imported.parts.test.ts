// Our own document as an agent: the API previews itself, and ten of its routes are called through the source
// it wrote, at the API as a process.
import { createServer, type IncomingMessage, request } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Preview, writeSource } from '#cli/openapi/command.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { type OpenApiWorld, openApiWorld } from './world.ts';

type Invoke = (skill: string, args: object) => Promise<{ result: unknown }>;

interface Passed {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** The others are called by `call_operation`. */
const PINNED = new Set(['files_upload', 'files_get', 'files_list', 'agents_list', 'agents_start_run']);

let world: OpenApiWorld;
let folder: string;
let preview: Preview;
let invoke: Invoke;
let name: string;
let questions: string[];
const passed: Passed[] = [];
const relay = createServer(
  (incoming, outgoing) => void pass(incoming).then((answer) => answer.pipe(outgoing.writeHead(answer.statusCode ?? 502, answer.headers))),
);

beforeAll(async () => {
  [world, folder] = await Promise.all([openApiWorld(), mkdtemp(join(tmpdir(), 'svc-imported-'))]);
  name = world.records['name'] ?? '';
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const base_url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  preview = await previewed({ name: 'platform', base_url, pins: { names: [...PINNED] } });
  await writeSource(folder, preview.files);
  questions = [];
  const onQuestion = ({ prompt }: { prompt: string }): string => {
    questions.push(prompt);
    return '{"approve":true}';
  };
  // Skills of a class that is read at run time: their names and arguments are no types.
  const { Platform } = (await import(pathToFileURL(join(folder, 'agent.ts')).href)) as { Platform: new () => Agent };
  const agent = testAgent(Platform, { setup: { bearer: world.token }, onQuestion });
  invoke = agent.invoke.bind(agent) as unknown as Invoke;
});
afterAll(async () => {
  relay.close();
  await world?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Writes down what arrives, byte for byte, and passes it on. */
async function pass(incoming: IncomingMessage): Promise<IncomingMessage> {
  const body = await buffer(incoming);
  passed.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body: body.toString() });
  const { host: _relay, ...headers } = incoming.headers;
  const onward = request(`${world.api.url}${incoming.url}`, { method: incoming.method ?? 'GET', headers });
  return new Promise((resolve, reject) => onward.on('response', resolve).on('error', reject).end(body));
}

async function previewed(wish: object): Promise<Preview> {
  const document = await (await fetch(`${world.api.url}/v1/openapi.json`)).text();
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${world.api.url}/v1/agents/openapi/preview`, { method: 'POST', headers, body: JSON.stringify({ document, ...wish }) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Preview;
}

/** One call, by its own skill or by `call_operation`; with what arrived of it. */
async function called(operation: string, args: object): Promise<{ result: unknown; sent: Passed[] }> {
  const before = passed.length;
  const { result } = PINNED.has(operation) ? await invoke(operation, args) : await invoke('call_operation', { operation, arguments: args });
  return { result, sent: passed.slice(before) };
}

const lines = (sent: readonly Passed[]): string[] => sent.map(({ line }) => line);
const json = (sent: readonly Passed[]): unknown[] => sent.map(({ body }) => JSON.parse(body) as unknown);

test('every route that is served is an operation of it, and what the platform asks of callers is set once', () => {
  expect(preview).toMatchObject({ mode: 'search', name: 'platform' });
  expect(preview.operations_chosen).toBe(preview.operations_total);
  expect(preview.setup_fields.map(({ name: field }) => field)).toContain('bearer');
});

test('files: a form with bytes, a path with slashes and other letters, pages by cursor', async () => {
  const path = 'notes/täglich/a b%2F1.txt';
  const upload = await called('files_upload', { path, file: { text: 'Grüße', content_type: 'text/plain', filename: 'a.txt' }, 'if-none-match': '*' });
  expect(upload.result).toMatchObject({ path, size_bytes: 7 });
  expect(upload.sent).toMatchObject([{ line: 'POST /v1/me/files', headers: { 'if-none-match': '*', authorization: `Bearer ${world.token}` } }]);
  const read = await called('files_get', { path });
  expect(read.result).toBe('Grüße');
  expect(lines(read.sent)).toEqual(['GET /v1/me/files/notes%2Ft%C3%A4glich%2Fa%20b%252F1.txt']);
  await called('files_upload', { path: 'notes/zwei.txt', file: { text: '2' } });
  const list = await called('files_list', { prefix: 'notes/', limit: 1, max_pages: 5 });
  expect(list.result).toMatchObject({ pages: [{ items: [{ path }] }, { items: [{ path: 'notes/zwei.txt' }] }], next: null });
  expect(lines(list.sent)[0]).toBe('GET /v1/me/files?limit=1&prefix=notes%2F');
});

test('memory: JSON of any shape, and a key that needs its encoding', async () => {
  const value = { seen: [1, 2.5, null], 'ä b': { deep: true } };
  const put = await called('agent_memory_upsert', { name, namespace: 'trips', key: 'a b/ü?', value });
  expect(put.result).toMatchObject({ namespace: 'trips', key: 'a b/ü?', value });
  expect(json(put.sent)).toEqual([{ namespace: 'trips', key: 'a b/ü?', value }]);
  const got = await called('agent_memory_get', { name, namespace: 'trips', key: 'a b/ü?' });
  expect(got.result).toMatchObject({ value });
  expect(lines(got.sent)).toEqual([`GET /v1/agents/${name}/memory/trips/a%20b%2F%C3%BC%3F`]);
});

test('a schedule: created, changed in part, removed when a person says yes', async () => {
  const target = { kind: 'skill', agent: name, skill: 'greet', args: { name: 'Ada' } };
  const made = await called('schedules_create', { cron: '30 9 * * mon-fri', time_zone: 'Europe/Berlin', target });
  expect(made.result).toMatchObject({ cron: '30 9 * * mon-fri', time_zone: 'Europe/Berlin', target });
  const { schedule_id } = made.result as { schedule_id: string };
  const changed = await called('schedules_update', { schedule_id, paused: true });
  expect(changed.result).toMatchObject({ schedule_id, paused: true, cron: '30 9 * * mon-fri' });
  expect(json(changed.sent)).toEqual([{ paused: true }]);
  const removed = await called('schedules_remove', { schedule_id });
  expect(removed.result).toBeNull();
  expect(lines(removed.sent)).toEqual([`DELETE /v1/me/schedules/${schedule_id}`]);
  expect(questions).toEqual([expect.stringContaining(schedule_id)]);
  await expect(called('schedules_update', { schedule_id, paused: false })).rejects.toMatchObject({ status: 404 });
});

test('a run: its arguments are the body, its key a header, and the same key is the same run', async () => {
  const args = { name, skill_name: 'greet', 'idempotency-key': 'once-1', body: { name: 'Ada' } };
  const [first, second] = [await called('agents_start_run', args), await called('agents_start_run', args)];
  expect(first.result).toMatchObject({ run_id: expect.stringMatching(/^run_/) });
  expect((second.result as { run_id: string }).run_id).toBe((first.result as { run_id: string }).run_id);
  expect(first.sent).toMatchObject([{ headers: { 'idempotency-key': 'once-1', 'content-type': 'application/json' }, body: '{"name":"Ada"}' }]);
});

test('agents: a list in the query repeats its name, and pages follow the Link header', async () => {
  const found = await called('agents_search', { q: 'greeter & co', tag: ['a b', 'c'], limit: 2 });
  expect(found.result).toEqual([]);
  expect(lines(found.sent)).toEqual(['GET /v1/agents/search?q=greeter%20%26%20co&tag=a%20b&tag=c&limit=2']);
  const all = (await called('agents_list', {})).result as { pages: { name: string }[][]; next: null };
  const one = (await called('agents_list', { limit: 1, max_pages: 50 })).result as typeof all;
  expect(one.pages.flat().map((agent) => agent.name)).toEqual(all.pages.flat().map((agent) => agent.name));
  expect(one.pages.length).toBeGreaterThan(1);
  expect(one.next).toBeNull();
});

test('what does not fit is refused before it is sent, with what fits', async () => {
  await expect(called('schedules_create', { cron: 7 })).rejects.toMatchObject({ code: 'skill_input_error' });
  await expect(called('files_list', { limit: 'many' })).rejects.toMatchObject({ code: 'skill_input_error' });
  const { result } = await invoke('search_operations', { query: 'list my schedules', limit: 3 });
  expect(result).toMatchObject({ operations: expect.arrayContaining([expect.objectContaining({ name: 'schedules_list' })]) });
  const described = (await invoke('describe_operation', { operation: 'schedules_create' })).result;
  expect(described).toMatchObject({ at: 'POST /v1/me/schedules', input_schema: { required: expect.arrayContaining(['cron', 'target']) } });
});
