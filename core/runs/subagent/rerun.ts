import type { z } from 'zod';
import type { SubagentRunOut } from '../../../contract/runs/subagent-runs.ts';
import { requireUser } from '../../actors.ts';
import { audit } from '../../audit/record.ts';
import type { Ctx } from '../../ctx.ts';
import { Conflict } from '../../errors.ts';
import { inTx } from '../../tx.ts';
import { checkAudience } from '../../workspace/grant/audience.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { grantMode } from '../../workspace/grant/row.ts';
import { startRun } from '../run/start.ts';
import { ownedSubagentRun, presentSubagentRun } from './find.ts';

/** A grant lives at most this long, however long the one it repeats did. */
const longestSeconds = 3600;

/** By whose files they are: the new grant allows what the old one did, for as long. @throws Conflict arguments_unknown; as startRun does */
export async function rerunSubagentRun(ctx: Ctx, i: { grant_id: string }): Promise<z.infer<typeof SubagentRunOut>> {
  const user = requireUser(ctx);
  const old = await ownedSubagentRun(ctx.db, user.user_id, i.grant_id);
  return inTx(ctx, async (tx, inner) => {
    const run = await tx('runs').where('run_id', old.run_id).first('args', 'skill', 'agent_id', 'agent_name');
    if (!run || run.args === null) {
      throw new Conflict(
        'arguments_unknown',
        'Its arguments were not kept, so it cannot be made again from here: only calls that run on without their caller keep them',
      );
    }
    const same = await tx('agents').where({ agent_id: run.agent_id, name: run.agent_name }).whereNull('deleted_at').first('agent_id');
    if (!same) throw new Conflict('agent_deleted', `${run.agent_name} was deleted since: what has its name now is another agent`);
    await checkAudience(tx, user, run.agent_name);
    const before = await tx('grants').where({ grant_id: old.grant_id, owner_id: user.user_id }).first();
    if (!before) throw new Error('a call between agents has no grant');
    const { grant } = await mintGrant(tx, inner, {
      userId: user.user_id,
      audience: before.audience,
      allow: before.allow_patterns,
      deny: before.deny_patterns,
      mode: grantMode(before),
      outputsPrefix: before.outputs_prefix,
      ttlSeconds: Math.min(longestSeconds, Math.round((before.expires_at.getTime() - before.issued_at.getTime()) / 1000)),
      reason: `the call under ${old.grant_id} again`,
    });
    const { run_id } = await startRun(tx, inner, {
      userId: user.user_id,
      agent: run.agent_name,
      skill: run.skill,
      args: argsOf(run.args),
      grantId: grant.grant_id,
    });
    await tx('subagent_runs').insert({
      grant_id: grant.grant_id,
      owner_id: user.user_id,
      agent_name: run.agent_name,
      skill: run.skill,
      source: 'rerun',
      run_id,
      rerun_of: old.grant_id,
      started_at: new Date(ctx.clock()).toISOString(),
    });
    await audit(tx, ctx, 'subagent_run.rerun', grant.grant_id, { rerun_of: old.grant_id, run_id });
    return presentSubagentRun(await ownedSubagentRun(tx, user.user_id, grant.grant_id));
  });
}

// Safe: the column has one writer, core/runs/run/start.ts, which takes objects only.
function argsOf(json: unknown): Record<string, unknown> {
  return json as Record<string, unknown>;
}
