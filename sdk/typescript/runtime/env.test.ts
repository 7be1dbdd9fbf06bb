// requiredEnv: what the owner stored is in the environment from startup on, and nothing else is.
import { afterEach, expect, test, vi } from 'vitest';
import { Agent } from '../authoring/agent.ts';
import { skill } from '../authoring/skill.ts';
import { createAgentServer } from './server.ts';

class Regional extends Agent {
  name = 'regional';
  description = 'For tests.';
  version = '1.0.0';
  override requiredEnv = ['TEST_REGION', 'SVC_API_KEY', 'not a name'];
  go = skill({}, async () => process.env['TEST_REGION']);
}

afterEach(() => void vi.unstubAllEnvs());

test('stored variables are found in the environment, a clone finds its own', async () => {
  for (const name of ['TEST_REGION', 'TOKEN', 'SVC_API_KEY']) vi.stubEnv(name, 'before');
  const stored = { TEST_REGION: 'eu', TOKEN: 'secret', SVC_API_KEY: 'mine', 'not a name': 'x' };
  const server = createAgentServer(Regional, { secrets: stored, onLog: () => undefined });
  expect([process.env['TEST_REGION'], process.env['TOKEN'], process.env['SVC_API_KEY']]).toEqual(['eu', 'before', 'before']);
  expect(process.env['not a name']).toBeUndefined();
  server.update({ secrets: { ...stored, TEST_REGION: 'us' } });
  expect(process.env['TEST_REGION']).toBe('us');
  await server.shutdown();
});
