import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Refunds } from '../agent.ts';

const large = { order: 'A-1042', amount: 240, reason: 'arrived broken' };

test('a small refund asks nobody', async () => {
  const { result } = await testAgent(Refunds).invoke('refund', { ...large, amount: 20 });
  assert.deepEqual(result, { refunded: 20, note: 'below the limit' });
});

test('a large one is paid only where a person approves', async () => {
  for (const [approve, refunded] of [
    [true, 240],
    [false, 0],
  ] as const) {
    const asked: string[] = [];
    const agent = testAgent(Refunds, {
      onQuestion: ({ prompt }) => {
        asked.push(prompt);
        return JSON.stringify({ approve, note: 'seen' });
      },
    });
    assert.deepEqual((await agent.invoke('refund', large)).result, { refunded, note: 'seen' });
    assert.deepEqual(asked, ['Refund 240.00 EUR for order A-1042? Reason: arrived broken']);
  }
});
