import type { Knex } from 'knex';
import type { z } from 'zod';
import type { SubagentRunOut } from '#contract/runs/subagent-runs.ts';
import type { Grant } from '#contract/wire/grant.ts';
import type { GrantsRow } from '#db/tables.ts';
import { requireUser } from '../../kernel/policy.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordingDenials } from '../../policy/deny.ts';
import { checkAudience } from '../../workspace/grant/audience.ts';
import { requireGrant } from '../../workspace/grant/by-policy.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { startRun } from '../durable/start.ts';
import { subagentRunFor, presentSubagentRun, type SubagentView } from './find.ts';

/** A grant lives at most this long, however long the one it repeats did. */
const longestSeconds = 3600;

/**
 * For the owner of the files: the new grant allows what the old one did, for as long. A call without a grant
 * is repeated without one.
 * @throws Conflict arguments_unknown; as startRun does
 */
export async function rerunSubagentRun(ctx: Ctx, i: { grant_id: string }): Promise<z.infer<typeof SubagentRunOut>> {
  return recordingDenials(ctx, () => again(ctx, i.grant_id));
}

async function again(ctx: Ctx, grantId: string): Promise<z.infer<typeof SubagentRunOut>> {
  return act(ctx, 'subagent_run.rerun', requireUser, async (ctx, user) => {
    const old = await subagentRunFor(ctx.db, user, 'subagent_run.rerun', grantId);
    const run = await calledAgain(ctx.db, old);
    await checkAudience(ctx.db, user, run.agent_name);
    const before = await ctx.db('grants').where({ grant_id: old.grant_id, owner_id: user.user_id }).first();
    if (before) {
      const { audience, mode, allow_patterns: allow, deny_patterns: deny, outputs_prefix: outputsPrefix } = before;
      const ttlSeconds = Math.round((before.expires_at.getTime() - before.issued_at.getTime()) / 1_000);
      await requireGrant(ctx, { ownerId: user.user_id, audience, mode, allow, deny, ttlSeconds, outputsPrefix });
    }
    const grant = before && (await mintAgain(ctx, user.user_id, before));
    const grant_id = grant?.grant_id ?? newId('grt', ctx.clock());
    const { run_id } = await startRun(ctx, {
      userId: user.user_id,
      agent: run.agent_name,
      skill: run.skill,
      args: run.args,
      ...(grant ? { grantId: grant.grant_id } : {}),
    });
    await ctx.db('subagent_runs').insert({
      grant_id,
      owner_id: user.user_id,
      agent_name: run.agent_name,
      skill: run.skill,
      source: 'rerun',
      run_id,
      rerun_of: old.grant_id,
      started_at: new Date(ctx.clock()).toISOString(),
    });
    const shown = presentSubagentRun(await subagentRunFor(ctx.db, user, 'subagent_run.rerun', grant_id));
    return done({ grant: grant_id }, { rerun_of: old.grant_id, run_id }, shown);
  });
}

interface Called {
  agent_name: string;
  skill: string;
  args: Record<string, unknown>;
}

async function calledAgain(tx: Knex.Transaction, old: SubagentView): Promise<Called> {
  const run = old.run_id === null ? undefined : await tx('runs').where('run_id', old.run_id).first('args', 'skill', 'agent_id', 'agent_name');
  const args = run?.args ?? old.args;
  if (args === null) {
    throw new Conflict('arguments_unknown', 'Its arguments are not known, so it cannot be made again: they were too large, or its report left them out');
  }
  const named = tx('agents').where({ name: old.agent_name }).whereNull('deleted_at');
  // A grant's time is in whole seconds.
  const same = await (
    run
      ? named.where({ agent_id: run.agent_id })
      : named.whereRaw("date_trunc('second', created_at) <= (select issued_at from grants where grant_id = ?)", [old.grant_id])
  ).first('agent_id');
  if (!same) throw new Conflict('agent_deleted', `${old.agent_name} was deleted since: what has its name now is another agent`);
  return { agent_name: old.agent_name, skill: old.skill, args: argsOf(args) };
}

async function mintAgain(ctx: TxCtx, userId: string, before: GrantsRow): Promise<Grant> {
  const { grant } = await mintGrant(ctx, {
    userId,
    audience: before.audience,
    allow: before.allow_patterns,
    deny: before.deny_patterns,
    mode: before.mode,
    outputsPrefix: before.outputs_prefix,
    ttlSeconds: Math.min(longestSeconds, Math.round((before.expires_at.getTime() - before.issued_at.getTime()) / 1000)),
    reason: `the call under ${before.grant_id} again`,
  });
  return grant;
}

// Safe: both columns are written with objects only: by core/runs/durable/start.ts and
// core/runs/subagent/keep.ts.
function argsOf(json: unknown): Record<string, unknown> {
  return json as Record<string, unknown>;
}
