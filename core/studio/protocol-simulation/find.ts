// Rehearsals belong only to their agent's owner.
import { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import type { ProtocolSimulationsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';

export interface AgentSimulation {
  agent: AgentView;
  row: ProtocolSimulationsRow;
}

/** @throws NotFound agent_not_found, simulation_not_found */
export async function simulationFor(ctx: Ctx, action: Action, i: { name: string; job_id: string }, lock = false): Promise<AgentSimulation> {
  const agent = await agentFor(ctx.db, ctx.actor, action, i.name);
  const query = ctx.db('protocol_simulations').where({ agent_id: agent.agent_id, job_id: i.job_id });
  const row = await (lock ? query.forUpdate().first() : query.first());
  if (!row) throw new NotFound('simulation_not_found', `${i.name} has no rehearsal ${i.job_id}: list its rehearsals`);
  return { agent, row };
}

/** The subject of an action (core/kernel/act.ts): as simulationFor, for who acts, with its row locked. */
export function simulationById(i: { name: string; job_id: string }) {
  return (ctx: Ctx, action: Action): Promise<AgentSimulation> => simulationFor(ctx, action, i, true);
}

/**
 * Of a rehearsal: none where it was written in words that this version of the product does not know; then no
 * scenario of it has a verdict.
 */
export function scenariosOf({ suite }: Pick<ProtocolSimulationsRow, 'suite'>): ProtocolSuite['scenarios'] {
  const read = ProtocolSuite.safeParse(suite);
  return read.success ? read.data.scenarios : [];
}

/**
 * Of the registry, for who begins something with it. @throws ZodError where it was written in words that this
 * version does not know
 */
export function suiteOf({ suite }: Pick<ProtocolSimulationsRow, 'suite'>): ProtocolSuite {
  return ProtocolSuite.parse(suite);
}
