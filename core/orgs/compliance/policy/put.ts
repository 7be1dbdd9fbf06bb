import type { CompliancePolicyIn, CompliancePolicyOut } from '#contract/orgs/compliance.ts';
import { audit } from '../../../kernel/audit.ts';
import { type Ctx, personOf } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { waitForRemovals } from '../../../accounts/legal-hold.ts';
import { inTx } from '../../../kernel/tx.ts';
import { organizationFor } from '../../organization/find.ts';
import { presentPolicy } from './read.ts';

/** @throws Conflict compliance_policy_changed */
export async function putPolicy(ctx: Ctx, { slug, ...i }: CompliancePolicyIn & { slug: string }): Promise<CompliancePolicyOut> {
  const { organization_id, actor } = await organizationFor(ctx.db, ctx.actor, 'compliance.policy', slug);
  return inTx({ ...ctx, actor }, async (ctx) => {
    if (i.legal_hold) await waitForRemovals(ctx.db);
    const row = {
      organization_id,
      frameworks: i.frameworks,
      retention_days: i.retention_days,
      legal_hold: i.legal_hold,
      hold_reason: i.legal_hold ? i.hold_reason : '',
      version: i.version + 1,
      updated_by: personOf(actor),
      updated_at: new Date(ctx.clock()),
    };
    const [saved] =
      i.version === 0
        ? await ctx.db('compliance_policies').insert(row).onConflict('organization_id').ignore().returning('*')
        : await ctx.db('compliance_policies').where({ organization_id, version: i.version }).update(row).returning('*');
    if (!saved) throw new Conflict('compliance_policy_changed', 'The policy was changed since you read it: read it again, then save');
    const { frameworks, retention_days, legal_hold, version } = i;
    await audit(ctx, 'compliance.policy', { organization: organization_id }, { frameworks, retention_days, legal_hold, version: version + 1 });
    return presentPolicy(saved);
  });
}
