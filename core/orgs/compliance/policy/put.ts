import type { CompliancePolicyIn, CompliancePolicyOut } from '#contract/orgs/compliance.ts';
import { act, done } from '../../../kernel/act.ts';
import { type Ctx, personOf } from '../../../kernel/ctx.ts';
import { Conflict } from '../../../kernel/errors.ts';
import { waitForRemovals } from '../../../accounts/legal-hold.ts';
import { organizationNamed } from '../../organization/find.ts';
import { presentCompliancePolicy } from './read.ts';

/** @throws Conflict compliance_policy_changed */
export async function putPolicy(ctx: Ctx, { slug, ...i }: CompliancePolicyIn & { slug: string }): Promise<CompliancePolicyOut> {
  return act(ctx, 'compliance.policy', organizationNamed(slug), async (ctx, { organization_id, actor }) => {
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
    return done({ organization: organization_id }, { frameworks, retention_days, legal_hold, version: version + 1 }, presentCompliancePolicy(saved));
  });
}
