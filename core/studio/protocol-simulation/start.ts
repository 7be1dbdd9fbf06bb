// A rehearsal begins: its job, its scenarios in a line, the start of its workflow. Its stage is made later,
// by the workflow.
import type { Knex } from 'knex';
import type { z } from 'zod';
import { CORE_PROTOCOL, type ProtocolCustomRunIn, type ProtocolSimulationIn, type ProtocolSimulationOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import { agentNamed } from '../../agents/agent/find.ts';
import { requireSource } from '../../agents/agent/may-deploy.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, Invalid, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { setting } from '../../kernel/settings.ts';
import { act, done } from '../../kernel/act.ts';
import { storableJson } from '../../kernel/storable.ts';
import { suiteDigest } from './digest.ts';
import { suiteOf } from './find.ts';
import { shownSimulation } from './list.ts';
import { ensureCoreEntry } from './registry/ensure.ts';
import { CORE_SUITE } from './scenarios/index.ts';

type Start = z.infer<typeof ProtocolSimulationIn>;
interface Protocol {
  id: string;
  version: string;
  display_name: string;
  templates: string[];
  suite: ProtocolSuite;
}

/**
 * Against the scenarios of the product. @throws NotFound agent_not_found, scenario_not_found; Conflict
 * agent_not_live, agent_imported, simulation_running
 */
export function startRehearsal(ctx: Ctx, i: { name: string } & Start): Promise<ProtocolSimulationOut> {
  const protocol = { ...CORE_PROTOCOL, templates: [], suite: CORE_SUITE };
  return start(ctx, i, async (ctx, agentId) => {
    await ensureCoreEntry(ctx, { agentId, name: i.name });
    return protocol;
  });
}

/**
 * Against a protocol of the registry, or a suite that comes with the request. @throws as startSimulation;
 * NotFound protocol_not_found; Conflict protocol_retired
 */
export function startCustomRun(ctx: Ctx, i: { name: string } & z.infer<typeof ProtocolCustomRunIn>): Promise<ProtocolSimulationOut> {
  const { protocol_ref: ref, suite } = i;
  return start(ctx, i, async (ctx, agentId) => {
    if (suite)
      return { id: 'unregistered', version: '0.0.0', display_name: 'A suite of its own', templates: suite.scenarios.map(({ scenario }) => scenario), suite };
    if (!ref) throw new Invalid([{ path: ['body', 'protocol_ref'], message: 'is missing' }]);
    if (ref.id === CORE_PROTOCOL.id) await ensureCoreEntry(ctx, { agentId, name: i.name });
    const entry = await ctx.db('protocol_entries').where({ agent_id: agentId, protocol_id: ref.id, version: ref.version }).first();
    if (!entry) throw new NotFound('protocol_not_found', `${i.name} has no protocol ${ref.id} ${ref.version}: see its registry`);
    if (entry.state === 'retired') throw new Conflict('protocol_retired', `${ref.id} ${ref.version} is retired: rehearse a later version`);
    return { id: ref.id, version: ref.version, display_name: entry.display_name, templates: [], suite: suiteOf(entry) };
  });
}

async function start(ctx: Ctx, i: { name: string } & Start, protocolOf: (ctx: TxCtx, agentId: string) => Promise<Protocol>): Promise<ProtocolSimulationOut> {
  const job_id = await act(ctx, 'rehearsal.start', agentNamed(i.name), async (ctx, { agent_id, owner_id, live_deploy_id }) => {
    await requireSource(ctx.db, { agent_id, name: i.name });
    // One after the other: of rehearsals that begin at once each counts those before it.
    await lockName(ctx.db, `rehearsals/${owner_id}`);
    await requireRoom(ctx.db, { agent_id, name: i.name, owner_id });
    const deployment =
      live_deploy_id === null ? undefined : await ctx.db('deployments').where({ deploy_id: live_deploy_id }).first('deploy_id', 'version', 'image');
    const instance = deployment && (await ctx.db('instances').where({ deploy_id: deployment.deploy_id, state: 'serving' }).first('node'));
    if (!deployment || !instance) throw new Conflict('agent_not_live', `${i.name} has no live deployment: deploy it first`);
    const protocol = await protocolOf(ctx, agent_id);
    const chosen = chosenOf(protocol, i);
    const jobId = await beginWork(ctx, {
      kind: 'protocol_simulation',
      title: `Rehearse ${i.name} ${deployment.version ?? ''}`.trimEnd(),
      ownerId: owner_id,
      agent: { id: agent_id, name: i.name },
      workflowId: `rehearsal:${newId('req', ctx.clock())}`,
      workflow: { type: 'rehearse', input: (job_id) => ({ job_id }) },
      input: {
        deploy_id: deployment.deploy_id,
        protocol_ref: { id: protocol.id, version: protocol.version, display_name: protocol.display_name, template_refs: protocol.templates },
        seed: i.seed,
        simulation_only: true,
        proposal_only: true,
        active_apply_enabled: false,
        run_budget_cents: i.run_budget_cents,
        budget_ceiling_cents: i.budget_ceiling_cents,
        ttl_seconds: i.ttl_seconds,
        max_episodes: i.max_episodes,
      },
    });
    const now = ctx.clock();
    await ctx.db('protocol_simulations').insert({
      job_id: jobId,
      agent_id,
      owner_id,
      deploy_id: deployment.deploy_id,
      version: deployment.version,
      protocol_id: protocol.id,
      protocol_version: protocol.version,
      display_name: protocol.display_name,
      template_refs: protocol.templates,
      suite: storableJson(protocol.suite),
      suite_digest: suiteDigest(protocol.suite),
      seed: i.seed,
      run_budget_cents: i.run_budget_cents,
      budget_ceiling_cents: i.budget_ceiling_cents,
      ttl_seconds: i.ttl_seconds,
      max_episodes: i.max_episodes,
      deadline_at: new Date(now + i.ttl_seconds * 1000),
      node: instance.node,
      created_at: new Date(now),
    });
    await ctx
      .db('protocol_scenario_runs')
      .insert(chosen.map((scenario, at) => ({ job_id: jobId, position: at + 1, scenario, seed: i.seed, state: 'queued' as const })));
    await appendEvent(ctx.db, jobId, 'simulation_queued', {
      scenarios: chosen,
      seed: i.seed,
      simulation_only: true,
      proposal_only: true,
      active_apply_enabled: false,
    });
    return done({ job: jobId }, { agent: i.name, deploy_id: deployment.deploy_id, protocol: `${protocol.id} ${protocol.version}` }, jobId);
  });
  return shownSimulation(ctx, { name: i.name, job_id });
}

function chosenOf({ suite }: Protocol, { scenarios, max_episodes }: Start): string[] {
  const known = suite.scenarios.map(({ scenario }) => scenario);
  const unknown = scenarios?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new NotFound('scenario_not_found', `The suite has no scenario ${unknown}; it has ${known.join(', ')}`);
  const chosen = known.filter((name) => scenarios === undefined || scenarios.includes(name));
  if (chosen.length > max_episodes) throw new Invalid([{ path: ['body', 'max_episodes'], message: `is less than the ${chosen.length} scenarios` }]);
  return chosen;
}

async function requireRoom(tx: Knex.Transaction, { agent_id, name, owner_id }: { agent_id: string; name: string; owner_id: string }): Promise<void> {
  const open = await tx('protocol_simulations').where({ owner_id }).whereNull('ended_at').select('job_id', 'agent_id');
  const same = open.find((one) => one.agent_id === agent_id);
  if (same) throw new Conflict('simulation_running', `${same.job_id} rehearses ${name} now: wait for its end, or stop it`);
  if (open.length >= (await setting(tx, 'rehearsals_per_account')))
    throw new Conflict('simulation_running', `You have ${open.length} rehearsals under way, the most at a time: wait for one to end`);
}
