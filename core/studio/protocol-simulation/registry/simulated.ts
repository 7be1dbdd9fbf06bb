// What rehearsals say of a protocol.
import type { Knex } from 'knex';
import type { ProtocolEntriesRow, ProtocolSimulationsRow } from '#db/tables.ts';
import type { TxCtx } from '../../../kernel/ctx.ts';
import { suiteOf } from '../find.ts';
import { recordMove } from './record-move.ts';

/**
 * A passed rehearsal of the whole protocol as it was signed; `deployId` undefined: of any version of the
 * agent.
 */
export async function passedSimulation(
  db: Knex,
  entry: Pick<ProtocolEntriesRow, 'agent_id' | 'protocol_id' | 'version' | 'digest' | 'suite'>,
  deployId: string | undefined,
): Promise<Pick<ProtocolSimulationsRow, 'job_id' | 'ended_at' | 'digest'> | undefined> {
  const names = suiteOf(entry).scenarios.map(({ scenario }) => scenario);
  const query = db('protocol_simulations as s')
    .where({ agent_id: entry.agent_id, protocol_id: entry.protocol_id, protocol_version: entry.version, suite_digest: entry.digest, verdict: 'passed' })
    // A rehearsal of some of its scenarios proves those.
    .whereRaw(
      `not exists (select 1 from unnest(?::text[]) n where not exists (select 1 from protocol_scenario_runs r where r.job_id = s.job_id and r.scenario = n))`,
      [names],
    )
    .orderBy('job_id', 'desc');
  if (deployId !== undefined) void query.where({ deploy_id: deployId });
  return query.first('job_id', 'ended_at', 'digest');
}

/** At the end of a rehearsal that passed: a reviewed protocol is then simulated. */
export async function simulated(ctx: TxCtx, of: ProtocolSimulationsRow): Promise<void> {
  const entry = await ctx
    .db('protocol_entries')
    .where({ agent_id: of.agent_id, protocol_id: of.protocol_id, version: of.protocol_version, digest: of.suite_digest, state: 'policy_reviewed' })
    .forUpdate()
    .first();
  if (!entry || !(await passedSimulation(ctx.db, entry, undefined))) return;
  await recordMove(ctx, entry, { to: 'sandbox_simulated', by: null, note: `${of.job_id} passed` });
}
