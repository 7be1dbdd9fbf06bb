import { expect, test } from 'vitest';
import { Agent } from '../../authoring/agent.ts';
import { skill } from '../../authoring/skill.ts';
import { serve } from '../../test/serve.ts';

class Greeter extends Agent {
  name = 'greeter';
  description = 'For tests.';
  version = '1.0.0';
  greet = skill({}, async () => 'Hello');
}

test('what is no route of the task protocol is answered, with where they are', async () => {
  const agent = await serve(Greeter);
  const { status, detail } = await agent.refusal('/tasks/task-1/steps', {}, { headers: { 'a2a-version': '1.0' } });
  expect([status, detail]).toMatchObject([404, { code: 'not_found', message: expect.stringContaining('/.well-known/agent-card.json') }]);
});
