import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { createJob } from '../../jobs/create.ts';
import { inTx } from '../../kernel/tx.ts';
import { stopReplaced } from './stop.ts';

let t: TestContext;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());

test("a host stops what drains on it, and leaves another host's instances to that host", async () => {
  const ownerId = await addUser(t.ctx.db);
  const agent = await liveAgent(t.ctx, ownerId);
  const workflowId = `deploy:${agent.deployId}`;
  const of = { kind: 'deploy', title: 'Deploy', ownerId, agent: { id: agent.id, name: agent.name }, workflowId, input: {} } as const;
  const jobId = await inTx(t.ctx, (tx, inner) => createJob(tx, inner, of));
  await t.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ job_id: jobId });
  const [here, there] = [newId('ins'), newId('ins')];
  const started = await t.ctx.db('instances').where({ instance_id: agent.instanceId }).first('api_key_sealed');
  const drains = { deploy_id: agent.deployId, agent_id: agent.id, state: 'draining' as const, api_key_sealed: started?.api_key_sealed ?? '' };
  await t.ctx.db('instances').insert([
    { ...drains, instance_id: here, node: 'here' },
    { ...drains, instance_id: there, node: 'there' },
  ]);
  const asked: string[] = [];
  const runtime = { ...scriptedRuntime(), stop: async (id: string) => void asked.push(id) };
  const ctx = { ...t.ctx, drivers: { ...t.ctx.drivers, runtime } };
  await stopReplaced(ctx, agent.deployId, { node: 'here', signal: new AbortController().signal });
  expect(asked).toEqual([here]);
  const states = await t.ctx.db('instances').whereIn('instance_id', [here, there]).select('node', 'state');
  expect(Object.fromEntries(states.map(({ node, state }) => [node, state]))).toEqual({ here: 'stopped', there: 'draining' });
});
