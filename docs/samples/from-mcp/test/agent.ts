import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent, Skill } from '@svc/sdk';
import { testAgent } from '@svc/sdk/testing';
import { Stock } from '../agent.ts';

/** Their names come from the server. */
const Served = Stock as new () => Agent & Record<'in_stock' | 'items', Skill>;

test('tools are skills, with their schemas and results', async () => {
  const agent = testAgent(Served);
  assert.deepEqual((await agent.invoke('in_stock', { item: 'tea' })).result, { item: 'tea', count: 12 });
  assert.deepEqual((await agent.invoke('items', {})).result, 'tea, coffee');
  await assert.rejects(agent.invoke('in_stock', { item: 7 }), { code: 'skill_input_error' });
});

test('a refusal of the server is the skill’s error', async () => {
  await assert.rejects(testAgent(Served).invoke('in_stock', { item: 'cocoa' }), /There is no item cocoa/);
});
