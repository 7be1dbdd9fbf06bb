import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { TextKit } from '../agent.ts';

test('compares two texts', async () => {
  const { result } = await testAgent(TextKit).invoke('compare', { before: 'the quick fox\n', after: 'the slow fox\n' });
  assert.deepEqual([result.added_words, result.removed_words], [1, 1]);
  assert.ok(result.similarity > 0.6 && result.similarity < 1);
  assert.match(result.patch, /^-the quick fox$/m);
});

test('outlines a document', async () => {
  const markdown = '# Title\n\nSome *words* and a [link](https://example.com).\n\n## Part\n\n```ts\nconst a = 1;\n```\n';
  const { result } = await testAgent(TextKit).invoke('outline', { markdown });
  assert.deepEqual(result.headings, [
    { level: 1, text: 'Title' },
    { level: 2, text: 'Part' },
  ]);
  assert.deepEqual(result.links, [{ text: 'link', href: 'https://example.com' }]);
  assert.deepEqual(result.code_languages, ['ts']);
  assert.equal(result.words, 7);
});

test('streams a digest', async () => {
  const text = 'Receipts are signed. A receipt names the agent. Bananas are yellow. Every receipt of an agent is chained to the last receipt.';
  const { result, events } = await testAgent(TextKit).invoke('digest', { text, sentences: 2 });
  assert.equal(result.of, 4);
  assert.ok(!result.digest.includes('Bananas'));
  assert.equal(events.filter((event) => event.kind === 'text_delta').length, 2);
});
