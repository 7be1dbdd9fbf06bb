// Writing under a grant where a policy of the account says that a person approves it: the question is a scope
// request for what the grant already allows. Approved, it gives no new grant, but lets this run write under
// the one it has.
import { createHash } from 'node:crypto';
import { HANDOFF_SECONDS } from '#contract/wire/limits.ts';
import { patternOfPrefix } from '#contract/wire/patterns.ts';
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { together } from '../../kernel/act.ts';
import { policyDenied } from '../../policy/deny.ts';
import { NO_POLICY_SHA256 } from '../../policy/model.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import { resolutionOf, type ScopeRequest } from '../wait/model.ts';
import { openWait } from '../wait/open.ts';

interface Writing {
  token: string;
  path: string;
}

/**
 * `write`, and the question where it needs one. @throws Conflict write_pending with `wait_id` and
 * `expires_at`; Forbidden policy_denied; as `write` does
 */
export async function approvedWrite<T>(ctx: Ctx, i: Writing, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (ctx.actor.kind !== 'run' || !(error instanceof Conflict) || error.code !== 'write_pending') throw error;
    throw await questionOf(ctx, ctx.actor, i);
  }
}

async function questionOf(ctx: Ctx, run: RunActor, i: Writing): Promise<Error> {
  const row = await ask(ctx, run, i);
  if (row.state === 'pending') {
    return new Conflict('write_pending', 'A user must approve that this run writes files: wait for the decision, then write again', {
      wait_id: row.wait_id,
      expires_at: row.expires_at.toISOString(),
    });
  }
  const { reason } = resolutionOf(row);
  const why = row.state === 'denied' ? `was denied${reason ? `: ${reason}` : ''}` : 'was not approved in time';
  return policyDenied({
    account_id: row.asked_of,
    action: 'write_file',
    outcome: 'deny',
    rule: 'require_approval_for_file_writes',
    resource: i.path,
    message: `Writing files ${why} (require_approval_for_file_writes)`,
    policy_version: 0,
    policy_sha256: NO_POLICY_SHA256,
    decision_id: null,
  });
}

async function ask(ctx: Ctx, run: RunActor, { token, path }: Writing): Promise<WaitsRow> {
  const { grant, row: held } = await verifyGrant(ctx, token);
  const { mode, allow_patterns, deny_patterns, outputs_prefix, grant_id } = held;
  const where = outputs_prefix === null ? `in ${allow_patterns.join(', ')}` : `below ${outputs_prefix}`;
  const request: ScopeRequest = {
    bucket: grant.bucket,
    grant_id,
    old: { allow_patterns, mode, outputs_prefix },
    read: [],
    write_prefix: outputs_prefix,
    mode: 'read_write_overlay',
    ttl_seconds: Math.max(1, Math.round((held.expires_at.getTime() - ctx.clock()) / 1000)),
    deny_patterns,
    reason: `Your policy asks before files are written. The first is ${path}`,
    files: [],
    of_writes: true,
  };
  return together(ctx, (ctx) =>
    openWait(ctx, {
      waitId: waitIdOf(run.run_id, grant_id),
      kind: 'scope_request',
      prompt: `${run.agent_name} (${run.skill}) wants to write files ${where}, as its grant allows, until its run ends. The first is ${path}`,
      request,
      timeoutSeconds: HANDOFF_SECONDS,
      approval: { subject: 'file_writes', byPolicy: true, paths: outputs_prefix === null ? allow_patterns : [patternOfPrefix(outputs_prefix)] },
    }),
  );
}

/** One question for each run and grant, however often it writes. */
function waitIdOf(runId: string, grantId: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify(['writes', runId, grantId]))
    .digest('hex');
  return `scr_${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
