// The grants an agent may use for its present caller: those the user gave it outside of any run, and those
// that came with the request.
import type { Grant } from '#contract/wire/grant.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { tokenOfRow } from './keys.ts';
import { verifyGrant } from './verify.ts';

/** Of one user for one agent; the newest. */
const MAX_GRANTS = 64;

/**
 * Each is looked up anew: one that is taken back, or has ended, is not among them. @throws Forbidden
 * grant_invalid for `token`
 */
export async function callersGrants(ctx: Ctx, token: string | undefined): Promise<Grant[]> {
  const run = requireRun(ctx);
  const passedOn = token === undefined ? [] : [(await verifyGrant(ctx, token)).grant];
  // Another agent that calls for the user reads what it was itself given, not what the user gave to this one.
  if (run.caller.kind !== 'user' || run.user_id === null || run.parent_run_id !== null) return passedOn;
  const rows = await ctx
    .db('grants as g')
    .join('agents as a', 'a.agent_id', ctx.db.raw('?', [run.agent_id]))
    .where({ 'g.owner_id': run.user_id, 'g.audience': run.agent_name })
    .whereNull('g.run_id')
    .whereNull('g.revoked_at')
    .where('g.expires_at', '>', new Date(ctx.clock()).toISOString())
    // A name can be another agent's after the one it was given to was deleted. Whole seconds: grants keep no
    // finer.
    .whereRaw("g.issued_at >= date_trunc('second', a.created_at)")
    .orderBy([
      { column: 'g.issued_at', order: 'desc' },
      { column: 'g.grant_id', order: 'desc' },
    ])
    .limit(MAX_GRANTS)
    .select('g.*');
  const standing = await Promise.all(rows.map(async (row) => verifyGrant(ctx, await tokenOfRow(ctx, row)).catch(() => undefined)));
  return [...passedOn, ...standing.flatMap((held) => (held ? [held.grant] : []))];
}
