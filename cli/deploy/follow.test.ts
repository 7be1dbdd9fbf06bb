import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { createClient } from '#contract/client.ts';
import { Output } from '../lib/output.ts';
import type { Api } from '../lib/api.ts';
import { deploymentAt } from '../test/deployment.ts';
import { followDeployment } from './follow.ts';

const at = '2026-11-20T19:00:00.000Z';
const waiting = 'No worker takes builds: the hosts are down';
const asked = { count: 0, enough: Promise.withResolvers<void>() };
const one = { ...deploymentAt(at), live_at: null };
const { deployment, deploymentStream } = agents;
const api = await serveForTest(
  { agents: { deployment, deploymentStream } },
  {
    agents: {
      deployment: () => {
        asked.count += 1;
        if (asked.count === 3) asked.enough.resolve();
        return asked.count < 4 ? { ...one, state: 'building' as const, waits_for: waiting } : { ...one, state: 'live' as const };
      },
      async *deploymentStream() {
        yield { id: '1', event: 'stage', data: { job_id: 'job_1', seq: 1, kind: 'stage', payload: { stage: 'building' }, at } };
        await asked.enough.promise;
      },
    },
  },
);
afterAll(() => api.close());

test('while nothing is heard it says what the deploy waits for, once', async () => {
  const stderr = new PassThrough();
  const context = { stdout: new PassThrough(), stderr, colours: { out: false, err: false } };
  // Safe: of a context it uses the two streams and the colours.
  const output = new Output(context as unknown as ConstructorParameters<typeof Output>[0]);
  // Safe: the two routes that are asked are there.
  const client = createClient({ baseUrl: api.url, token: async () => 'ada' }) as Api;
  const end = await followDeployment({ client, agent: 'text-kit', deployId: one.deploy_id, output, signal: new AbortController().signal, quietMs: 10 });
  stderr.end();
  expect(end.state).toBe('live');
  expect(asked.count).toBeGreaterThan(3);
  expect(await text(stderr)).toBe(`● building\n○ ${waiting}\n`);
});
