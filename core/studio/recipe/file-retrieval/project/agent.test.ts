import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { FileRetrieval } from './agent.ts';
import { byMeaning, candidatesOf, fused } from './meaning.ts';
import { bestPassages, type Passage, passagesOf } from './passages.ts';

class Sample extends FileRetrieval {
  override settings = { subject: '', file_types: ['text', 'document'], max_files: 10 } as const;
}
const workspace = {
  'handbook/holidays.md': '# Holidays\n\nEveryone has thirty days of holiday a year.\n\nAsk your team first.\n',
  'handbook/travel.md': '# Travel\n\nTrains are booked by the office.\n\nA holiday is no journey.\n',
  'private/pay.md': '# Holidays\n\nHoliday pay is secret.\n',
  'holiday.md': new Uint8Array([0, 1, 2, ...Buffer.from('holiday')]),
};

test('finds the passage that says most, with its place', async () => {
  const { result } = await testAgent(Sample, { workspace }).invoke('search', { question: 'How many days of holiday a year?' });
  assert.deepEqual(
    result.passages.slice(0, 1).map(({ path, line, text }) => [path, line, text]),
    [['handbook/holidays.md', 3, 'Everyone has thirty days of holiday a year.']],
  );
  assert.ok(result.passages.every(({ path }) => path.startsWith('handbook/')));
  assert.deepEqual(result.skipped, ['holiday.md'], 'it is no text');
});

test('finds nothing where nothing is said, and asks for no file', async () => {
  const { result } = await testAgent(Sample, { workspace, onScopeRequest: () => false, autoApprove: false }).invoke('search', { question: 'quantum' });
  assert.deepEqual(result, { passages: [], documents: 0, skipped: [] });
});

test('reads nothing when the person refuses', async () => {
  const agent = testAgent(Sample, { workspace, autoApprove: false, onScopeRequest: () => false });
  await assert.rejects(agent.invoke('search', { question: 'holiday' }), { code: 'scope_denied' });
});

/** A model that embeds, on this machine: texts of rest are near each other, whatever their words. */
async function withModel(says: (texts: string[]) => object, work: (asked: { model: string; input: string[] }[]) => Promise<void>): Promise<void> {
  const asked: { model: string; input: string[] }[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const sent = body as { model: string; input: string[] };
      asked.push(sent);
      assert.equal(request.url, '/v1/embeddings');
      response.setHeader('content-type', 'application/json').end(JSON.stringify(says(sent.input)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const before = { ...process.env };
  Object.assign(process.env, {
    OPENAI_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: 'of-a-test',
    SVC_EMBEDDING_MODEL: 'm-embed',
  });
  try {
    await work(asked);
  } finally {
    process.env = before;
    server.close();
  }
}
const meaningOf = (text: string): number[] => (/holiday|vacation|days off|journey/i.test(text) ? [1, 0.1] : [0, 1]);
const resting = {
  'handbook/rest.md': '# Rest\n\nEach vacation is thirty days long.\n\nThe office has a kitchen with days old bread.\n',
};
const question = 'days off';

test('without a model that embeds it goes only by words, and asks none', async () => {
  const { result } = await testAgent(Sample, { workspace: resting, llm: [] }).invoke('search', { question });
  assert.deepEqual(
    result.passages.map(({ line }) => line),
    [3, 5],
  );
});

test('with a model that embeds meaning counts beside words', async () => {
  await withModel(
    (texts) => ({ data: texts.map((text, index) => ({ index, embedding: meaningOf(text) })), usage: { prompt_tokens: 9 } }),
    async (asked) => {
      const files = { 'handbook/rest.md': '# Rest\n\nBread of old days, days and days.\n\nA vacation is long.\n\nVacation days are paid.\n' };
      const { result } = await testAgent(Sample, { workspace: files }).invoke('search', { question });
      assert.deepEqual(
        asked.map(({ model, input }) => [model, input[0], input.length]),
        [['m-embed', question, 5]],
      );
      const lines = result.passages.map(({ line }) => line);
      assert.equal(lines[0], 7, 'it says the word and means it');
      assert.ok(lines.includes(5), 'it means it, and has no word of the question');
      assert.ok(result.passages.every(({ score }, at) => at === 0 || score <= (result.passages[at - 1]?.score ?? 0)));
    },
  );
});

test('where the model cannot be asked words are enough', async () => {
  await withModel(
    () => ({ error: { message: 'the budget is spent', code: 'llm_cap_reached' } }),
    async (asked) => {
      const { result } = await testAgent(Sample, { workspace: resting }).invoke('search', { question });
      assert.equal(asked.length, 1);
      assert.deepEqual(
        result.passages.map(({ line }) => line),
        [3, 5],
      );
    },
  );
});

test('orders are made one by the places of a passage in each', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((text, line) => ({ path: 'x', line, text })) as [Passage, Passage, Passage];
  assert.deepEqual(
    fused(
      [
        [a, b],
        [b, c],
      ],
      2,
    ).map(({ text }) => text),
    ['b', 'a'],
  );
  assert.deepEqual(
    byMeaning([1, 0], [a, b, c], [[0, 1], [2, 0], []]).map(({ text }) => text),
    ['b', 'a', 'c'],
  );
  const many = Array.from({ length: 400 }, (_, line) => ({ path: 'x', line, text: '' }));
  assert.deepEqual(
    candidatesOf(many.slice(300), many).map(({ line }) => line),
    [...many.slice(300), ...many.slice(0, 155)].map(({ line }) => line),
  );
});

test('keeps to the grant that a caller passes on', async () => {
  const agent = testAgent(Sample, { workspace });
  const grant = agent.mintGrant({ allowPatterns: ['handbook/travel.md'] });
  const { result } = await agent.invoke('search', { question: 'holiday' }, { grant });
  assert.deepEqual([result.documents, result.passages.map(({ path }) => path)], [1, ['handbook/travel.md']]);
  await assert.rejects(agent.invoke('read', { path: 'handbook/holidays.md' }, { grant }), { code: 'workspace_denied' });
});

test('shows lines, and says how many there are', async () => {
  const agent = testAgent(Sample, { workspace });
  const { result } = await agent.invoke('read', { path: 'handbook/travel.md', line: 3, lines: 1 });
  assert.equal(result.text, 'Trains are booked by the office.');
  await assert.rejects(agent.invoke('read', { path: 'handbook/travel.md', line: 99 }), { code: 'skill_input_error', message: /has 6 lines/ });
  await assert.rejects(agent.invoke('read', { path: 'nowhere.md' }), { code: 'file_not_found' });
});

test('cuts passages at blank lines and where they get long', () => {
  assert.deepEqual(
    passagesOf('a', 'one\ntwo\n\n\nthree').map(({ line, text }) => [line, text]),
    [
      [1, 'one two'],
      [5, 'three'],
    ],
  );
  assert.ok(passagesOf('a', 'word '.repeat(100).concat('\n').repeat(50)).every(({ text }) => text.length <= 1_500));
  assert.deepEqual(bestPassages('unsaid', passagesOf('a', 'one\n\ntwo'), 5), []);
});
