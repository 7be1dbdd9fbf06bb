// Rehearsals: under way, and one that broke a rule.
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { endSimulation } from '#core/studio/protocol-simulation/advance.ts';
import { insertEntry } from '#core/studio/protocol-simulation/registry/add.ts';
import { CORE_SUITE } from '#core/studio/protocol-simulation/scenarios/index.ts';
import { startRehearsal } from '#core/studio/protocol-simulation/start.ts';
import { addAgent } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function rehearsalRecords({ ctx, userId, agent }: Owner): Promise<AreaRecords> {
  const stopped = await rehearsed({ ctx, userId });
  const noted = await rehearsed({ ctx, userId });
  const ended = await endedRehearsal({ ctx, userId });
  const [start, customRun] = [await liveAgentOf({ ctx, userId }), await liveAgentOf({ ctx, userId })];
  const entry = {
    agentId: agent.id,
    agent: agent.name,
    protocol_id: 'gate',
    version: '1.0.0',
    display_name: 'Gate',
    risk_class: 'low' as const,
    suite: CORE_SUITE,
    by: userId,
  };
  await inTx(ctx, (ctx) => insertEntry(ctx, entry));
  const rehearsal = (route: string, of: { name: string; job_id: string }) => ({
    [`protocolSimulations.${route}.name`]: of.name,
    [`protocolSimulations.${route}.job_id`]: of.job_id,
  });
  return {
    params: {
      ...rehearsal('get', noted),
      ...rehearsal('note', noted),
      ...rehearsal('addScenario', noted),
      ...rehearsal('stop', stopped),
      'protocolSimulations.start.name': start.name,
      'protocolSimulations.customRun.name': customRun.name,
      'rehearsal.name': ended.name,
      'rehearsal.job_id': ended.job_id,
      protocol_id: 'gate',
      version: '1.0.0',
    },
    calls: { 'protocolSimulations.start': { body: {} } },
  };
}

/** With a rehearsal under way. */
async function rehearsed(of: Pick<Owner, 'ctx' | 'userId'>, scenarios = ['child_scope']): Promise<{ name: string; job_id: string }> {
  const { name } = await liveAgentOf(of);
  const limits = { run_budget_cents: 0, budget_ceiling_cents: 0, ttl_seconds: 600, max_episodes: 30 };
  const { job_id } = await startRehearsal(of.ctx, { name, scenarios, seed: 1, ...limits });
  return { name, job_id };
}

/** With a machine, as its rows say. */
async function liveAgentOf({ ctx, userId }: Pick<Owner, 'ctx' | 'userId'>): Promise<{ name: string }> {
  const { id, name } = await addAgent(ctx.db, userId, { live: true });
  const deployment = await ctx.db('deployments').where({ agent_id: id }).first('deploy_id');
  const instance_id = newId('ins');
  await ctx
    .db('instances')
    .insert({ instance_id, deploy_id: deployment?.deploy_id ?? '', agent_id: id, node: 'local', state: 'serving', api_key_sealed: 'none' });
  return { name };
}

/** One that broke a rule, as its page shows it. */
async function endedRehearsal(of: Pick<Owner, 'ctx' | 'userId'>): Promise<{ name: string; job_id: string }> {
  const one = await rehearsed(of, ['child_scope', 'scope_union']);
  const event = { n: 1, step: 'mint', outcome: 'accepted', code: null, facts: { depth: 0 } };
  const wider = { n: 2, step: 'delegate', outcome: 'accepted', code: null, facts: { depth: 1 } };
  const says = 'A child never reaches a path that its parent does not allow';
  const broken = [{ event: 2, rule: 'no_wider_path', says, expected: 'refused (grant_not_contained)', got: 'accepted' }];
  const results = [
    { state: 'failed' as const, events: JSON.stringify([event, wider]), broken: JSON.stringify(broken), digest: 'f'.repeat(64) },
    { state: 'passed' as const, events: JSON.stringify([event]), broken: '[]', digest: 'e'.repeat(64) },
  ];
  for (const [at, result] of results.entries())
    await of.ctx.db('protocol_scenario_runs').where({ job_id: one.job_id, position: at + 1 }).update({ ...result, started_at: new Date(), ended_at: new Date() }); // prettier-ignore
  await endSimulation(of.ctx, one.job_id);
  return one;
}
