import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testAgent } from '@svc/sdk/testing';
import { TaskFixture } from '../agent.ts';

const message = (messageId: string) => ({ messageId, parts: [{ text: 'hi' }] });

test('does what the id of the message says', async () => {
  const agent = testAgent(TaskFixture);
  assert.equal((await agent.invoke('respond', message('tck-complete-task-1'))).result, 'Hello from TCK');
  assert.deepEqual((await agent.invoke('respond', message('tck-artifact-data-1'))).result, { key: 'value', count: 42 });
  assert.equal((await agent.invoke('respond', message('tck-other'))).result, 'hi');
  const { artifacts } = await agent.invoke('respond', message('tck-artifact-file-1'));
  assert.deepEqual(
    artifacts.map(({ name }) => name),
    ['output.txt'],
  );
});
