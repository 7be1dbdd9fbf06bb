// Over the database in DATABASE_URL, as "svc chat" and a deployment give it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { Notes } from '../agent.ts';

const agent = testAgent(Notes);
after(() => agent.shutdown());

test('keeps notes', async () => {
  assert.deepEqual((await agent.invoke('add', { text: 'tea at four' })).result, { id: 1 });
});

test('lists them', async () => {
  assert.deepEqual((await agent.invoke('list', {})).result, { notes: ['tea at four'] });
});
