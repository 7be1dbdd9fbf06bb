import type { BillingOverrideOut } from '#contract/platform/billing.ts';
import type { BillingOverridesRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { isUnexpired } from '../../money/account-access/funded.ts';
import { requireAccount } from '../control-policy/read.ts';

/** @throws NotFound user_not_found */
export async function getBillingOverride(ctx: Ctx, { user_id }: { user_id: string }): Promise<BillingOverrideOut> {
  requireOperator(ctx, 'billing_override.read');
  await requireAccount(ctx.db, user_id);
  return presentBillingOverride(user_id, await ctx.db('billing_overrides').where({ user_id }).first(), ctx.clock());
}

export function presentBillingOverride(userId: string, row: BillingOverridesRow | undefined, now: number): BillingOverrideOut {
  return {
    user_id: userId,
    funded_calls_per_agent: row?.funded_calls_per_agent ?? null,
    expires_at: row?.expires_at?.toISOString() ?? null,
    reason: row?.reason ?? '',
    in_force: row !== undefined && row.funded_calls_per_agent !== null && isUnexpired(row, now),
    version: row?.version ?? 0,
    updated_at: row?.updated_at.toISOString() ?? null,
    updated_by: row?.updated_by ?? null,
  };
}
