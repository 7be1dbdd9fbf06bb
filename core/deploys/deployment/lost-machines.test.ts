// What becomes of rows whose machine the host does not have.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { InstanceStatus } from '#drivers/runtime/port.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';
import { noteLostMachines } from './lost-machines.ts';

let t: TestContext;
let agent: LiveAgent;
let owner: string;
beforeAll(async () => {
  t = await testContext();
  owner = await addUser(t.ctx.db, 'ada');
});
afterAll(() => t.close());
beforeEach(async () => {
  await t.ctx.db('instances').update({ state: 'stopped' });
  agent = await liveAgent(t.ctx, owner);
  await t.ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify({ name: agent.name, version: '1.0.0', entrypoint: 'agent:Agent' }) });
});

const status = (instance_id: string): InstanceStatus => ({ instance_id, agent: 'a', deployment_id: 'd', image: 'sha256:1', tier: 'suspended', started_at: 0, last_used_at: 0, memory_bytes: 0 }); // prettier-ignore
/** One look at a host that has these. */
const look = (held: () => Promise<InstanceStatus[]>) =>
  noteLostMachines({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime: { ...t.ctx.drivers.runtime, instances: held } } }, 'local');
const instance = async () => t.ctx.db('instances').where({ instance_id: agent.instanceId }).first('state');

test('a machine that two looks do not see is lost: its agent is built again from the same source', async () => {
  expect(await look(async () => [])).toEqual([]);
  expect(await instance()).toEqual({ state: 'serving' });
  expect(await look(async () => [])).toEqual([agent.instanceId]);
  expect(await instance()).toEqual({ state: 'stopped' });
  const [again] = await t.ctx.db('deployments').where({ agent_id: agent.id, state: 'queued' });
  expect(again).toMatchObject({ number: 2, source_key: 'sources/x', image: null });
  expect(await t.ctx.db('audit_log').where({ action: 'agent.machine_lost', target_id: agent.id })).toHaveLength(1);
  // Once.
  expect(await look(async () => [])).toEqual([]);
  expect(await t.ctx.db('deployments').where({ agent_id: agent.id })).toHaveLength(2);
});

test('one that was missing for a moment, or sleeps, is not', async () => {
  await look(async () => []);
  expect(await look(async () => [status(agent.instanceId)])).toEqual([]);
  expect(await look(async () => [])).toEqual([]);
  expect(await instance()).toEqual({ state: 'serving' });
});

test('a host that does not answer has lost nothing', async () => {
  const away = (): Promise<InstanceStatus[]> => Promise.reject(new RuntimeError('host_unreachable', 'nothing listens there'));
  for (let n = 0; n < 3; n += 1) await expect(look(away)).rejects.toThrow('nothing listens');
  expect(await instance()).toEqual({ state: 'serving' });
});

test('of an earlier deployment only the machine goes; a deployment that is under way stays the only one', async () => {
  const { db } = t.ctx;
  await db('instances').where({ instance_id: agent.instanceId }).update({ state: 'draining' });
  await db('agents').where({ agent_id: agent.id }).update({ live_deploy_id: null });
  for (let n = 0; n < 2; n += 1) await look(async () => []);
  expect(await instance()).toEqual({ state: 'stopped' });
  expect(await db('deployments').where({ agent_id: agent.id })).toHaveLength(1);
});
