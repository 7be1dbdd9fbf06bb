// Rehearsals are their agent's owner's alone.
import type { Knex } from 'knex';
import { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import type { ProtocolSimulationsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import type { AgentView } from '../../agents/agent/select.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import type { Action } from '../../kernel/policy.ts';

export interface Found {
  agent: AgentView;
  row: ProtocolSimulationsRow;
}

/** @throws NotFound agent_not_found, simulation_not_found */
export async function simulationFor(db: Knex, ctx: Ctx, action: Action, i: { name: string; job_id: string }, lock = false): Promise<Found> {
  const agent = await agentFor(db, ctx.actor, action, i.name);
  const query = db('protocol_simulations').where({ agent_id: agent.agent_id, job_id: i.job_id });
  const row = await (lock ? query.forUpdate().first() : query.first());
  if (!row) throw new NotFound('simulation_not_found', `${i.name} has no rehearsal ${i.job_id}: list its rehearsals`);
  return { agent, row };
}

/** Stored after it was checked: read again, since a newer version of the product may know other words. */
export function suiteOf({ suite }: Pick<ProtocolSimulationsRow, 'suite'>): ProtocolSuite {
  return ProtocolSuite.parse(suite);
}
