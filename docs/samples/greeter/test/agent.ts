import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Greeter } from '../agent.ts';

test('greets one person', async () => {
  assert.deepEqual((await testAgent(Greeter).invoke('greet', { name: 'Ada' })).result, { text: 'Hello, Ada!' });
});

test('invites only when the answer is yes', async () => {
  for (const [answer, text] of [
    ['yes', 'Ada is invited.'],
    ['no', 'Ada is not invited.'],
  ] as const) {
    const agent = testAgent(Greeter, { onQuestion: () => answer });
    assert.deepEqual((await agent.invoke('invite', { name: 'Ada' })).result, { text });
  }
});
