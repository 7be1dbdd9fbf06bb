import type { z } from 'zod';
import type { BillingOverrideIn, BillingOverrideOut } from '#contract/platform/billing.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { requireOperator } from '../../kernel/policy.ts';
import { storableText } from '../../kernel/storable.ts';
import { act, done } from '../../kernel/act.ts';
import { requireAccount } from '../control-policy/read.ts';
import { writeVersion } from '../versioned.ts';
import { presentBillingOverride } from './read-override.ts';

/**
 * @throws NotFound user_not_found; Invalid for a time that is over; Conflict version_conflict (the present
 * version in its details)
 */
export async function putBillingOverride(ctx: Ctx, { user_id, ...i }: { user_id: string } & z.infer<typeof BillingOverrideIn>): Promise<BillingOverrideOut> {
  return act(ctx, 'billing_override.put', requireOperator, async (ctx, operator) => {
    const now = ctx.clock();
    if (i.expires_at !== null && Date.parse(i.expires_at) <= now) throw new Invalid([{ path: ['body', 'expires_at'], message: 'is over already' }]);
    await requireAccount(ctx.db, user_id, true);
    const { funded_calls_per_agent, expires_at } = i;
    const values = { funded_calls_per_agent, expires_at, reason: storableText(i.reason), updated_by: operator.user_id };
    const { before, after } = await writeVersion(ctx.db, { table: 'billing_overrides', key: ['user_id', user_id], version: i.version, values });
    const from = { funded_calls_per_agent: before?.funded_calls_per_agent ?? null, expires_at: before?.expires_at?.toISOString() ?? null };
    const facts = { from, to: { funded_calls_per_agent, expires_at }, version: after.version };
    return done({ user: user_id }, facts, presentBillingOverride(user_id, after, now));
  });
}
