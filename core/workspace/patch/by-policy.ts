// Before a run writes: the policies of whose files they are and of whom the run works for. Where a person
// decides, their approval holds for the run and the grant: of a scope request that led to the grant, or of
// the writing itself.
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { checkPolicy } from '../../policy/check.ts';
import { policyDenied, recordingDenials, withDenial } from '../../policy/deny.ts';
import type { VerifiedGrant } from '../grant/verify.ts';

/**
 * @throws Forbidden policy_denied; Conflict write_pending: a person must approve
 * (core/pauses/scope/approve-writes.ts asks them)
 */
export async function requireWrite(ctx: Ctx, { grant, row }: VerifiedGrant, path: string): Promise<void> {
  await recordingDenials(ctx, async () => {
    const verdict = await checkPolicy(ctx, {
      action: 'write_file',
      accounts: [row.owner_id, ...(await accountsOf(ctx.db, ctx.actor))],
      resource: { type: 'Path', path },
      context: { grant: grantFacts(grant, row, ctx.clock()) },
    });
    if (verdict.outcome === 'allow') return;
    if (verdict.outcome === 'deny') throw policyDenied(verdict.denial);
    const { actor } = ctx;
    const nobody = actor.kind !== 'run' || actor.user_id === null || actor.user_id !== row.owner_id;
    if (nobody)
      throw policyDenied({ ...verdict.denial, outcome: 'deny', message: `${verdict.denial.message}; and whose files they are did not call this run` });
    if (await isApproved(ctx, actor.run_id, grant.grant_id)) return;
    throw withDenial(new Conflict('write_pending', 'A user must approve that this run writes files: wait for the decision, then write again'), verdict.denial);
  });
}

function grantFacts(grant: VerifiedGrant['grant'], row: VerifiedGrant['row'], now: number) {
  const { grant_id: id, audience, mode, allow_patterns, deny_patterns, outputs_prefix } = grant;
  const expires_in_s = Math.max(0, Math.round((row.expires_at.getTime() - now) / 1_000));
  return { id, issuer: row.owner_id, audience, mode, expires_in_s, allow_patterns, deny_patterns, outputs_prefix };
}

/** By a person; a rule that approved it does not count. */
async function isApproved({ db }: Ctx, runId: string, grantId: string): Promise<boolean> {
  const approval = await db('waits')
    .where({ run_id: runId, kind: 'scope_request', state: 'approved' })
    .whereNotNull('resolved_by')
    .whereRaw(`resolution->>'grant_id' = ?`, [grantId])
    // Who approved that it reads more has not approved that it writes.
    .whereRaw(`(request->>'mode' = 'read_write_overlay' or request->>'write_prefix' is not null)`)
    .first('wait_id');
  return approval !== undefined;
}
