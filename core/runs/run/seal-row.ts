// The receipt of a run from its row alone: for runs whose caller is not there any more to say what the call was.
import type { Knex } from 'knex';
import type { RunsRow } from '#db/tables.ts';
import { sealCall } from '../call/seal.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { callEndingOf, type RunOutcome } from './outcome.ts';
import { actorOfRun } from './model.ts';

/** Ends the run, too. */
export async function sealRun(tx: Knex.Transaction, ctx: Ctx, row: RunsRow, end: RunOutcome): Promise<{ receipt_id: string }> {
  const agent = await tx('agents').where({ agent_id: row.agent_id }).first('owner_id', 'name');
  const deployment = await tx('deployments').where({ deploy_id: row.deploy_id }).first('version', 'image');
  const instance = await tx('instances').where({ deploy_id: row.deploy_id }).orderBy('created_at', 'desc').first('runtime');
  const run = actorOfRun(row, { owner_id: agent?.owner_id ?? '' });
  return sealCall(
    { ...ctx, db: tx },
    {
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
    },
    callEndingOf(end),
  );
}
