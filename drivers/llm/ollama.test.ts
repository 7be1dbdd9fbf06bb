// ollama on one's own machine, through the driver: no key, its way of streaming, its calls of tools, its
// words about a model it has not.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languageModels } from './models.ts';
import type { ModelPart, ModelRequest } from './port.ts';
import { startOllama, type Ollama, type OllamaReply } from './test/ollama.ts';

let ollama: Ollama;
let models: ReturnType<typeof languageModels>;
let reply: OllamaReply = {};
beforeAll(async () => {
  ollama = await startOllama(['llama3.2'], () => reply);
  models = languageModels({ localHosts: [ollama.host] });
});
afterAll(async () => {
  await models.close();
  await ollama.close();
});

const target = (model = 'llama3.2') => ({ protocol: 'openai' as const, baseUrl: ollama.url, apiKey: null, model });
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', text: 'hello' }],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  timeoutMs: 5_000,
  ...more,
});
const usage = { inputTokens: 26, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 8 };

test('text comes piece by piece without what the model thinks, counted, and no key is sent', async () => {
  reply = { reasoning: 'The person greets me.', text: ['Hel', 'lo ', 'you'] };
  const parts: ModelPart[] = [];
  for await (const part of models.stream(target(), request())) parts.push(part);
  expect(parts).toEqual([...['Hel', 'lo ', 'you'].map((text) => ({ type: 'text', text })), { type: 'end', reason: 'stop', usage }]);
  expect(ollama.asked.at(-1)).toMatchObject({ model: 'llama3.2', stream: true, authorization: undefined });
});

test.each(['stop', 'tool_calls'] as const)('a call of a tool arrives whole, also where the reason is said to be %s', async (reason) => {
  reply = { tool: { name: 'greeter__greet', arguments: { name: 'Ada' } }, reason };
  const tools = [{ name: 'greeter__greet', description: 'Greets', input: { type: 'object', properties: { name: { type: 'string' } } } }];
  const { toolCalls } = await models.generate(target(), request({ tools }));
  expect(toolCalls).toMatchObject([{ name: 'greeter__greet', input: { name: 'Ada' } }]);
  reply = { text: ['Done.'] };
  const output = { greeting: 'Hello, Ada!' };
  const told = [
    { role: 'user' as const, text: 'greet Ada' },
    { role: 'assistant' as const, text: '', toolCalls },
    { role: 'tool' as const, callId: toolCalls[0]?.id ?? '', name: 'greeter__greet', output },
  ];
  expect(await models.generate(target(), request({ tools, messages: told }))).toMatchObject({ text: 'Done.', usage });
  const [, call, result] = ollama.asked.at(-1)?.messages ?? [];
  expect(call).toMatchObject({ role: 'assistant', tool_calls: [{ id: toolCalls[0]?.id, function: { name: 'greeter__greet', arguments: '{"name":"Ada"}' } }] });
  expect(result).toMatchObject({ role: 'tool', tool_call_id: toolCalls[0]?.id, content: JSON.stringify(output) });
});

test('a model that was not pulled is no model of it', async () => {
  await expect(models.generate(target('llama9'), request())).rejects.toMatchObject({ code: 'model_not_found' });
});
