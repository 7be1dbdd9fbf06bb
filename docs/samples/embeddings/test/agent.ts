// A script gives the vectors; with "svc test --record" a model does once, and its recordings from then on.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Closest } from '../agent.ts';

const asked: unknown[] = [];
const agent = testAgent(Closest, {
  llm: ({ texts = [] }) => {
    asked.push(texts);
    return { vectors: texts.map((text) => (/tea|drink/.test(text) ? [1, 0] : [0, 1])) };
  },
});
after(() => agent.shutdown());

test('says which answer is closest', async () => {
  const answers = ['The train leaves at nine.', 'There is tea in the kitchen.'];
  const { result } = await agent.invoke('closest', { question: 'What can I drink?', answers });
  assert.deepEqual(result, { answer: 'There is tea in the kitchen.' });
  assert.deepEqual(asked, [['What can I drink?', ...answers]], 'all in one request');
});
