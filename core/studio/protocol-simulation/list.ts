import type { ProtocolSimulationDetailOut, ProtocolSimulationOut } from '#contract/studio/protocol-simulations.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { decodeCursor, type Page, toPage } from '../../kernel/page.ts';
import { simulationFor } from './find.ts';
import { presentScenarioRuns, presentSimulations, simulations } from './present.ts';
import { SCENARIOS } from './scenarios/index.ts';
import { SUITE_TEMPLATES } from './templates.ts';

export async function listRehearsals(ctx: Ctx, i: { name: string; limit: number; cursor?: string | undefined }): Promise<Page<ProtocolSimulationOut>> {
  const { agent_id } = await agentFor(ctx.db, ctx.actor, 'rehearsal.read', i.name);
  const query = simulations(ctx.db)
    .where('s.agent_id', agent_id)
    .orderBy('s.job_id', 'desc')
    .limit(i.limit + 1);
  // Ids are in the order of time.
  if (i.cursor !== undefined) void query.where('s.job_id', '<', decodeCursor(i.cursor, ['string'])[0]);
  const page = toPage(
    await query,
    i.limit,
    (row) => row,
    (row) => [row.job_id],
  );
  return { ...page, items: await presentSimulations(ctx.db, i.name, page.items) };
}

/** @throws NotFound agent_not_found, simulation_not_found */
export async function getRehearsal(ctx: Ctx, i: { name: string; job_id: string }): Promise<ProtocolSimulationDetailOut> {
  const { row } = await simulationFor(ctx, 'rehearsal.read', i);
  const shown = await shownSimulation(ctx, i);
  const runs = await ctx.db('protocol_scenario_runs').where({ job_id: row.job_id }).orderBy('position');
  return { ...shown, scenarios: presentScenarioRuns(row, runs) };
}

/** The caller has found it. */
export async function shownSimulation({ db }: Pick<Ctx, 'db'>, i: { name: string; job_id: string }): Promise<ProtocolSimulationOut> {
  const [shown] = await presentSimulations(db, i.name, await simulations(db).where('s.job_id', i.job_id));
  if (!shown) throw new Error(`no rehearsal ${i.job_id}`);
  return shown;
}

export async function listScenarios(ctx: Ctx, i: { name: string }) {
  await agentFor(ctx.db, ctx.actor, 'rehearsal.read', i.name);
  return { items: SCENARIOS.map(({ scenario, title, summary, rules, steps }) => ({ scenario, title, summary, rules, steps: steps.length })) };
}

export async function listScenarioTemplates(ctx: Ctx, i: { name: string }) {
  await agentFor(ctx.db, ctx.actor, 'rehearsal.read', i.name);
  return { items: [...SCENARIOS] };
}

export async function listSuiteTemplates(ctx: Ctx, i: { name: string }) {
  await agentFor(ctx.db, ctx.actor, 'rehearsal.read', i.name);
  return { items: [...SUITE_TEMPLATES] };
}
