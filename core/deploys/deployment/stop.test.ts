import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { testContext, type TestContext } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';
import { scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { RuntimeError, type AgentRuntime } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { createJob } from '../../jobs/create.ts';
import { inTx } from '../../kernel/tx.ts';
import { IMPORT_NODE } from '../../agents/agent/imported.ts';
import { reapHost } from './reap.ts';
import { stopDraining, stopReplaced } from './stop.ts';

let t: TestContext;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());

/** Draining instances of an agent's deployment, one on each of these hosts, by host. */
async function draining(nodes: readonly string[]): Promise<LiveAgent & { at: Record<string, string>; states: () => Promise<Record<string, string>> }> {
  const ownerId = await addUser(t.ctx.db);
  const agent = await liveAgent(t.ctx, ownerId);
  const workflowId = `deploy:${agent.deployId}`;
  const of = { kind: 'deploy', title: 'Deploy', ownerId, agent: { id: agent.id, name: agent.name }, workflowId, input: {} } as const;
  const jobId = await inTx(t.ctx, (ctx) => createJob(ctx, of));
  await t.ctx.db('deployments').where({ deploy_id: agent.deployId }).update({ job_id: jobId });
  const at = Object.fromEntries(nodes.map((node) => [node, newId('ins')]));
  const drains = { deploy_id: agent.deployId, agent_id: agent.id, state: 'draining' as const, api_key_sealed: 'x' };
  await t.ctx.db('instances').insert(Object.entries(at).map(([node, instance_id]) => ({ ...drains, instance_id, node })));
  const states = async (): Promise<Record<string, string>> => {
    const rows = await t.ctx.db('instances').whereIn('instance_id', Object.values(at)).select('node', 'state');
    return Object.fromEntries(rows.map(({ node, state }) => [node, state]));
  };
  return { ...agent, at, states };
}

/** A host's view, and what it was asked to stop and to keep. */
function host(more: Partial<AgentRuntime> = {}): { ctx: Ctx; asked: string[]; kept: string[] } {
  const [asked, kept]: [string[], string[]] = [[], []];
  const runtime: AgentRuntime = {
    ...scriptedRuntime(),
    stop: async (id) => void asked.push(id),
    keepOnly: async ({ instances }) => (kept.push(...instances), { stopped: [], deleted: [] }),
    ...more,
  };
  return { ctx: { ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, asked, kept };
}

test("a host stops what drains on it, and leaves another host's instances to that host", async () => {
  const { deployId, at, states } = await draining(['here', 'there']);
  const { ctx, asked } = host();
  await stopReplaced(ctx, deployId, { node: 'here', signal: new AbortController().signal });
  expect(asked).toEqual([at['here']]);
  expect(await states()).toEqual({ here: 'stopped', there: 'draining' });
});

test.each(['agent_id', 'deploy_id'] as const)('so it does after the end of all of them, by %s; what no host has is over at once', async (column) => {
  const { id, deployId, at, states } = await draining(['here', 'there', IMPORT_NODE]);
  const { ctx, asked } = host();
  await stopDraining(ctx, column === 'agent_id' ? { agent_id: id } : { deploy_id: deployId }, 'here');
  expect(asked).toContain(at['here']);
  expect(asked).not.toContain(at['there']);
  expect(await states()).toEqual({ here: 'stopped', there: 'draining', [IMPORT_NODE]: 'stopped' });
});

test.each(['deleted', 'failed', 'cancelled'] as const)(
  'at its next look a host stops what is left on it of an agent or deployment that was %s',
  async (how) => {
    const { id, deployId, at, states } = await draining(['here', 'there']);
    const [now, deleted_at] = [t.ctx.db.raw('now()'), t.ctx.db.raw(`now() - interval '10 seconds'`)];
    if (how === 'deleted') await t.ctx.db('agents').where({ agent_id: id }).update({ deleted_at, live_deploy_id: null });
    await t.ctx
      .db('deployments')
      .where({ deploy_id: deployId })
      .update({ state: how === 'deleted' ? 'superseded' : how, ended_at: now });
    const { ctx, kept } = host();
    await reapHost(ctx, 'there');
    expect(kept).not.toContain(at['there']);
    expect(await states()).toEqual({ here: 'draining', there: 'stopped' });
  },
);

test('a host that does not answer has stopped nothing', async () => {
  const { id, deployId, states } = await draining(['here']);
  const long = new Date(Date.now() - 3600_000);
  await t.ctx.db('agents').where({ agent_id: id }).update({ deleted_at: long, live_deploy_id: null });
  await t.ctx.db('deployments').where({ deploy_id: deployId }).update({ state: 'superseded', ended_at: long });
  const away = host({ keepOnly: () => Promise.reject(new RuntimeError('host_unreachable', 'nothing listens there')) });
  await expect(reapHost(away.ctx, 'here')).rejects.toThrow('nothing listens');
  expect(await states()).toEqual({ here: 'draining' });
  await reapHost(host().ctx, 'here');
  expect(await states()).toEqual({ here: 'stopped' });
});

test('a version that was replaced a moment ago drains: its requests may end', async () => {
  const { deployId, at, states } = await draining(['there']);
  await t.ctx
    .db('deployments')
    .where({ deploy_id: deployId })
    .update({ state: 'superseded', ended_at: t.ctx.db.raw('now()') });
  const { ctx, kept } = host();
  await reapHost(ctx, 'there');
  expect(kept).toContain(at['there']);
  expect(await states()).toEqual({ there: 'draining' });
});
