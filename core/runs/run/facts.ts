// The facts of a call that its receipt contains; the agent's address is not among them.
import type { Knex } from 'knex';
import type { RunsRow } from '#db/tables.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { actorOfRun } from './model.ts';

export interface CallFacts {
  /** `userId`: a user of ours, who may then see the receipt. */
  caller: { kind: string; id: string | null; userId: string | null };
  route: Pick<AgentRoute, 'agentId' | 'agentName' | 'deployId' | 'version' | 'image' | 'runtime'>;
  skill: string;
  inputSha256: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  run: RunActor;
  /** Of the grant that the caller passed on, verified. */
  grantId: string | null;
  /** What it may cost is held: it ends in a transaction of its own. */
  charged?: true;
}

/** Only from its row: no process that knows the call is left. */
export async function factsOfRow(tx: Knex.Transaction, row: RunsRow): Promise<CallFacts> {
  const agent = await tx('agents').where({ agent_id: row.agent_id }).first('owner_id');
  const deployment = await tx('deployments').where({ deploy_id: row.deploy_id }).first('version', 'image');
  const instance = await tx('instances').where({ deploy_id: row.deploy_id }).orderBy('created_at', 'desc').first('runtime');
  const run = actorOfRun(row, { owner_id: agent?.owner_id ?? '' });
  return {
    caller: { ...run.caller, userId: row.user_id },
    route: {
      agentId: row.agent_id,
      agentName: row.agent_name,
      deployId: row.deploy_id,
      version: deployment?.version ?? 'unknown',
      image: deployment?.image ?? '',
      runtime: instance?.runtime ?? 'unknown',
    },
    skill: row.skill,
    inputSha256: row.input_sha256 ?? '',
    startedAt: row.started_at.getTime(),
    run,
    grantId: row.grant_id,
  };
}
