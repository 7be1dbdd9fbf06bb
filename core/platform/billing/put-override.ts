import type { z } from 'zod';
import type { BillingOverrideIn, BillingOverrideOut } from '#contract/platform/billing.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { inTx } from '../../kernel/tx.ts';
import { requireAccount } from '../control-policy/read.ts';
import { writeVersion } from '../versioned.ts';
import { presentBillingOverride } from './read-override.ts';

/**
 * @throws NotFound user_not_found; Invalid for a time that is over; Conflict version_conflict (the present
 * version in its details)
 */
export async function putBillingOverride(ctx: Ctx, { user_id, ...i }: { user_id: string } & z.infer<typeof BillingOverrideIn>): Promise<BillingOverrideOut> {
  const operator = requireOperator(ctx, 'billing_override.put');
  const now = ctx.clock();
  if (i.expires_at !== null && Date.parse(i.expires_at) <= now) throw new Invalid([{ path: ['body', 'expires_at'], message: 'is over already' }]);
  return inTx(ctx, async (ctx) => {
    await requireAccount(ctx.db, user_id, true);
    const { funded_calls_per_agent, expires_at } = i;
    const values = { funded_calls_per_agent, expires_at, reason: storableText(i.reason), updated_by: operator.user_id };
    const { before, after } = await writeVersion(ctx.db, { table: 'billing_overrides', key: ['user_id', user_id], version: i.version, values });
    const from = { funded_calls_per_agent: before?.funded_calls_per_agent ?? null, expires_at: before?.expires_at?.toISOString() ?? null };
    await audit(ctx, 'billing_override.put', { user: user_id }, { from, to: { funded_calls_per_agent, expires_at }, version: after.version });
    return presentBillingOverride(user_id, after, now);
  });
}
