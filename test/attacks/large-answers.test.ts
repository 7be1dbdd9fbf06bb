// A hostile endpoint answers with as much as it may, made of the smallest parts: the event loop of the API
// reads none of it, one account's answers are read one at a time, and the key in it is hidden and the use
// counted all the same. Measured is the loop's own processor time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerThreadCounts, readHere } from '#core/money/gateway/large-answers.ts';
import { KEYS, modelAttack, type ModelAttack, PATHS, QUESTION } from './model-attacker.ts';

let it: ModelAttack;
beforeAll(async () => {
  it = await modelAttack();
  await it.lend(100_000_000);
});
afterAll(() => it.close());

/** Of this thread, whatever else the machine does. */
async function processorMs<T>(work: () => Promise<T>): Promise<[T, number]> {
  const before = process.threadCpuUsage();
  const done = await work();
  const { user, system } = process.threadCpuUsage(before);
  return [done, (user + system) / 1_000];
}

const answer = (parts: number): string =>
  `{"id":"${KEYS.openai}","usage":{"prompt_tokens":100,"completion_tokens":20},"choices":[{"index":0,"message":{"content":"x"},"finish_reason":"stop"}],"x":[${'{"a":1},'.repeat(parts)}0]}`;

async function ask(body: string, path: string = PATHS.chat) {
  const token = await it.token(it.run(await it.agent()));
  it.provider.next = [{ status: 200, body, headers: { 'content-type': 'application/json' } }];
  return it.ask(path, token, { model: 'm-1', max_tokens: 10, messages: QUESTION, input: 'x' });
}

test('the measure sees the work: a small answer is read here', async () => {
  const { begun } = answerThreadCounts;
  const { status, whole } = await ask(answer(10));
  expect({ status, begun: answerThreadCounts.begun }).toEqual({ status: 200, begun });
  expect(whole).not.toContain(KEYS.openai);
});

test('a large one is read in a thread, and is the same otherwise', async () => {
  const body = answer(1_000_000);
  const { begun } = answerThreadCounts;
  // Started by an answer before, so that only the work is compared.
  await ask(answer(20_000));
  const [{ status, whole }, loop] = await processorMs(() => ask(body));
  expect({ status, begun: answerThreadCounts.begun }).toEqual({ status: 200, begun: begun + 2 });
  expect(whole).not.toContain(KEYS.openai);
  expect(whole).toContain('[key]');
  expect(whole.endsWith(body.slice(-1_000_000))).toBe(true);
  const uses = await it.world.ctx.db('llm_usage').orderBy('usage_id', 'desc').first();
  expect(uses).toMatchObject({ state: 'ok', estimated: false, input_tokens: 100, output_tokens: 20 });
  const [, work] = await processorMs(async () => readHere({ bytes: Buffer.from(body), apiKey: KEYS.openai, counts: { protocol: 'openai', name: 'chat' } }));
  // Passing it on costs the loop something, too. Compiling and collecting garbage come on top in some rounds:
  // the least counts.
  const rounds = [loop];
  for (let n = 0; n < 3; n += 1) rounds.push((await processorMs(() => ask(body)))[1]);
  expect(Math.min(...rounds)).toBeLessThan(work);
});

test('no JSON is refused however large it is, and a list or a count may not be large', async () => {
  expect(await ask(`x${answer(20_000)}`)).toMatchObject({ status: 502, code: 'model_bad_answer' });
  const count = `${PATHS.messages}/count_tokens`;
  expect(await ask(`{"input_tokens":1,"x":"${'x'.repeat(1_000_000)}"}`, count)).toMatchObject({ status: 200 });
  expect(await ask(`{"input_tokens":1,"x":"${'x'.repeat(2_100_000)}"}`, count)).toMatchObject({ status: 502, code: 'model_bad_answer' });
});

test('a large event of a stream is read in a thread, too, and stands in its place', async () => {
  const key = KEYS.openai;
  const chunk = (more: object): string => JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm-1', ...more });
  const said = (content: string): string => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  const large = chunk({ choices: [], x: `${'x '.repeat(50_000)}${key}`, usage: { prompt_tokens: 100, completion_tokens: 20 } });
  const token = await it.token(it.run(await it.agent()));
  it.provider.next = [{ status: 200, body: [said('before'), large, said('after'), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''), headers: { 'content-type': 'text/event-stream' } }]; // prettier-ignore
  const { begun } = answerThreadCounts;
  const { whole } = await it.ask(PATHS.chat, token, { model: 'm-1', messages: QUESTION, stream: true, stream_options: { include_usage: true } });
  expect(answerThreadCounts.begun).toBe(begun + 1);
  expect(whole).not.toContain(key);
  expect(whole.match(/before|\[key\]|after|DONE/g)).toEqual(['before', '[key]', 'after', 'DONE']);
  expect(await it.world.ctx.db('llm_usage').orderBy('usage_id', 'desc').first()).toMatchObject({ state: 'ok', estimated: false, output_tokens: 20 });
});
