// What still blocks live use of a protocol with this agent, and why. It reads, and enables nothing.
import type { z } from 'zod';
import type { ProtocolReadinessIn, ProtocolReadinessOut } from '#contract/studio/protocol-simulations.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { setting } from '../../kernel/settings.ts';
import { criticalFindings } from './findings.ts';
import { ENABLED, isReviewed } from './registry/moves.ts';
import { passedSimulation } from './registry/simulated.ts';

type Item = ProtocolReadinessOut['items'][number];

export async function readReadiness(ctx: Ctx, i: { name: string } & z.infer<typeof ProtocolReadinessIn>): Promise<ProtocolReadinessOut> {
  const { agent_id, live_deploy_id, version } = await agentFor(ctx.db, ctx.actor, 'rehearsal.read', i.name);
  const { protocol_ref: ref } = i;
  const entry = await ctx.db('protocol_entries').where({ agent_id, protocol_id: ref.id, version: ref.version }).first();
  const passed = entry && live_deploy_id !== null ? await passedSimulation(ctx.db, entry, live_deploy_id) : undefined;
  const older = entry && !passed ? await passedSimulation(ctx.db, entry, undefined) : undefined;
  const findings = await criticalFindings(ctx.db, agent_id, live_deploy_id);
  const enabled = (await setting(ctx.db, 'protocols_enabled')) !== 0;
  const redaction = live_deploy_id === null ? undefined : await redactionPassed(ctx, agent_id, live_deploy_id);
  const protocol = `${ref.id} ${ref.version}`;
  const state = entry?.state ?? 'not in the registry';
  const approved = entry !== undefined && ENABLED.includes(entry.state);
  const items: Item[] = [
    item('simulation_passed', passed !== undefined, {
      met: `The live version has passed every scenario of ${protocol}`,
      open: live_deploy_id === null ? 'Nothing is live' : older ? 'Only another version has passed it' : `The live version has not passed all of ${protocol}`,
      remedy: live_deploy_id === null ? 'Deploy the agent, then rehearse it' : `Rehearse it: svc rehearse ${i.name}`,
      refs: [passed?.job_id ?? older?.job_id],
    }),
    item('policy_reviewed', entry !== undefined && isReviewed(entry.state), {
      met: 'Its owner has reviewed what it does',
      open: `Its owner has not reviewed what it does: it is ${state}`,
      remedy: 'Read its steps in the registry, then move it to policy_reviewed',
      refs: [entry?.entry_id],
    }),
    item('owner_approved', approved, {
      met: 'Its owner has enabled it',
      open: `Its owner has not enabled it: it is ${state}`,
      remedy: 'Once it is sandbox_simulated, move it to enabled_private',
      refs: [entry?.entry_id],
    }),
    item('operator_enabled', enabled, {
      met: 'The operators of this installation have enabled protocols',
      open: 'The operators of this installation have not enabled protocols',
      remedy: 'Ask an operator to set protocols_enabled to 1',
      refs: ['protocols_enabled'],
    }),
    item('registry_enabled', approved && entry.digest !== '', {
      met: `The registry has it as ${state}, signed`,
      open: entry ? `The registry has it as ${state}` : 'The registry does not have it',
      remedy: entry ? 'Move it to enabled_private' : `Rehearse it once, or put it into the registry`,
      refs: [entry?.digest],
    }),
    item('no_critical_finding', findings.open.length === 0 && findings.review === undefined, {
      met: 'No critical finding is unanswered',
      open: findings.open.length > 0 ? `${findings.open.length} critical findings are unanswered` : 'The review of the live version has a critical finding',
      remedy: findings.open.length > 0 ? 'Answer each finding: fixed, accepted or a false alarm' : 'Fix the findings of the review, and deploy again',
      refs: [...findings.open, findings.review],
    }),
    item('redaction_reviewed', redaction !== undefined, {
      met: 'A rehearsal of the live version found no planted secret and no token in what was written',
      open: 'No rehearsal of the live version has looked for planted secrets and found none',
      remedy: `Rehearse it: svc rehearse ${i.name} --scenario redaction`,
      refs: [redaction],
    }),
  ];
  return {
    agent: i.name,
    deploy_id: live_deploy_id,
    version,
    protocol_ref: ref,
    ready: items.every(({ met }) => met),
    active_apply_enabled: false,
    items,
  };
}

function item(name: Item['item'], met: boolean, words: { met: string; open: string; remedy: string; refs: readonly (string | undefined)[] }): Item {
  return {
    item: name,
    met,
    why: met ? words.met : words.open,
    remedy: met ? null : words.remedy,
    refs: words.refs.flatMap((ref) => ref ?? []),
  };
}

/** The newest word counts: one that failed since takes it back. */
async function redactionPassed({ db }: Ctx, agentId: string, deployId: string): Promise<string | undefined> {
  const newest = await db('protocol_scenario_runs as r')
    .join('protocol_simulations as s', 's.job_id', 'r.job_id')
    .where({ 's.agent_id': agentId, 's.deploy_id': deployId, 'r.scenario': 'redaction' })
    .whereIn('r.state', ['passed', 'failed'])
    .whereIn('s.protocol_id', ['core'])
    .orderBy('r.ended_at', 'desc')
    .first('r.job_id', 'r.state');
  return newest?.state === 'passed' ? newest.job_id : undefined;
}
