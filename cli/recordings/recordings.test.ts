// Recorded once from a provider that speaks both wires, then replayed without it, to the official clients as
// they are.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProvider, type Provider } from '#test/support/provider/provider.ts';
import { type RecordingGateway, type RecordingMode, startRecordingGateway } from './gateway.ts';
import { RecordingInvalid } from './recording.ts';

const KEY = 'sk-of-the-developer-0123456789';
const question = [{ role: 'user' as const, content: 'Where am I?' }];
const tools = [{ type: 'function' as const, function: { name: 'look_up', parameters: { type: 'object' } } }];

let provider: Provider;
let folder: string;
let open: RecordingGateway[];
beforeEach(async () => {
  provider = await startProvider();
  folder = await mkdtemp(join(tmpdir(), 'svc-recordings-'));
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((gateway) => gateway.close()));
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

async function gatewayOf(mode: RecordingMode): Promise<RecordingGateway> {
  const own = { OPENAI_BASE_URL: provider.url, ANTHROPIC_BASE_URL: provider.url.replace(/\/v1$/, ''), OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
  const gateway = await startRecordingGateway(folder, mode, mode === 'record' ? own : {});
  open.push(gateway);
  return gateway;
}
/** As they find it in the environment. */
function clientsOf({ env }: RecordingGateway) {
  return {
    openai: new OpenAI({ baseURL: env['OPENAI_BASE_URL'], apiKey: env['OPENAI_API_KEY'] ?? KEY }),
    anthropic: new Anthropic({ baseURL: env['ANTHROPIC_BASE_URL'], apiKey: env['ANTHROPIC_API_KEY'] ?? KEY }),
  };
}
async function conversation(gateway: RecordingGateway): Promise<unknown[]> {
  const { openai, anthropic } = clientsOf(gateway);
  return [
    await Array.fromAsync(await openai.chat.completions.create({ model: 'm-1', messages: question, stream: true, tools })),
    await openai.chat.completions.create({ model: 'm-1', messages: question }),
    await Array.fromAsync(await openai.responses.create({ model: 'm-1', input: 'Where am I?', stream: true })),
    await openai.embeddings.create({ model: 'm-1', input: ['a'] }),
    (await openai.models.list()).data,
    await Array.fromAsync(await anthropic.messages.create({ model: 'claude-1', max_tokens: 100, messages: question, stream: true })),
    await anthropic.messages.countTokens({ model: 'claude-1', messages: question }),
  ];
}

test('the same requests get the same chunks, without provider and key', async () => {
  const recorder = await gatewayOf('record');
  const said = await conversation(recorder);
  expect(said.flat(2).length).toBeGreaterThan(20);
  await recorder.close();
  expect(recorder.seen).toMatchObject({ answered: 7, problems: [] });
  const names = await readdir(folder);
  expect(names).toHaveLength(7);
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  expect(files.join('')).toContain('Where am I?');
  for (const secret of [KEY, 'org-of-the-owner', 'req_of_the_provider', '127.0.0.1']) expect(files.join('')).not.toContain(secret);
  provider.asked.length = 0;
  const replayed = await gatewayOf('replay');
  expect(await conversation(replayed)).toEqual(said);
  expect(await conversation(replayed)).toEqual(said);
  expect(provider.asked).toEqual([]);
  expect(replayed.seen).toMatchObject({ answered: 14, problems: [], recordings: { taken: 7, all: 7 } });
});

test('a request that is not recorded fails at once, and says what to do and what differs', async () => {
  const { openai } = clientsOf(await gatewayOf('record'));
  await openai.chat.completions.create({ model: 'm-1', messages: question, temperature: 0 });
  const replayed = await gatewayOf('replay');
  const clients = clientsOf(replayed);
  const remedy =
    /No answer to this request is recorded in .* \(m-1-[0-9a-f]{16}\)\. m-1-[0-9a-f]{16}\.json differs from it in: temperature\. Record it: svc test --record/;
  await expect(clients.openai.chat.completions.create({ model: 'm-1', messages: question, temperature: 1 })).rejects.toMatchObject({
    status: 400,
    code: 'model_not_recorded',
    message: expect.stringMatching(remedy),
  });
  await expect(clients.anthropic.messages.create({ model: 'm-1', max_tokens: 5, messages: question })).rejects.toThrow('(model_not_recorded)');
  expect(replayed.seen.problems).toHaveLength(2);
});

test('one request may have had several answers: they come in their order, the last one again', async () => {
  const ask = async (gateway: RecordingGateway) =>
    (await clientsOf(gateway).openai.chat.completions.create({ model: 'm-1', messages: question })).choices[0]?.message.content;
  const recorder = await gatewayOf('record');
  provider.words = ['first'];
  await ask(recorder);
  provider.words = ['second'];
  await ask(recorder);
  const replayed = await gatewayOf('replay');
  expect([await ask(replayed), await ask(replayed), await ask(replayed)]).toEqual(['first', 'second', 'second']);
  // Recorded anew, what was there before is gone.
  provider.words = ['third'];
  await ask(await gatewayOf('record'));
  expect(await ask(await gatewayOf('replay'))).toBe('third');
});

test('a refusal is passed on and not recorded; an answer whose reader leaves is recorded whole', async () => {
  const recorder = await gatewayOf('record');
  const { openai } = clientsOf(recorder);
  provider.next.push({ status: 400, body: JSON.stringify({ error: { message: 'no such model', code: 'model_not_found' } }) });
  await expect(openai.chat.completions.create({ model: 'm-9', messages: question })).rejects.toMatchObject({ code: 'model_not_found' });
  expect(recorder.seen.problems).toEqual([expect.stringContaining('answered 400, which is not recorded')]);
  const release = Promise.withResolvers<void>();
  provider.pace = () => release.promise;
  for await (const chunk of await openai.chat.completions.create({ model: 'm-1', messages: question, stream: true }))
    if (chunk.choices[0]?.delta.content === 'Hel') break;
  release.resolve();
  await recorder.close();
  const { openai: later } = clientsOf(await gatewayOf('replay'));
  const chunks = await Array.fromAsync(await later.chat.completions.create({ model: 'm-1', messages: question, stream: true }));
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('Hello, wörld 🙂');
});

test('a file that is no recording is named', async () => {
  await writeFile(join(folder, 'odd.json'), '{"version":1}');
  await expect(gatewayOf('replay')).rejects.toThrow(RecordingInvalid);
});
