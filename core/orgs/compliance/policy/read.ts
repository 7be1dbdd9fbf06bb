import type { Knex } from 'knex';
import { DEFAULT_RETENTION_DAYS, EU_RETENTION_DAYS } from '#contract/orgs/compliance-limits.ts';
import type { CompliancePolicyOut } from '#contract/orgs/compliance.ts';
import { COMPLIANCE_FRAMEWORKS, type ComplianceFramework } from '#contract/states.ts';
import type { CompliancePoliciesRow } from '#db/tables.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { organizationFor } from '../../organization/find.ts';

export async function readPolicy(ctx: Ctx, i: { slug: string }): Promise<CompliancePolicyOut> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'compliance.read', i.slug);
  return compliancePolicy(ctx.db, organization_id);
}

export async function compliancePolicy(db: Knex, organizationId: string): Promise<CompliancePolicyOut> {
  const row = await db('compliance_policies').where({ organization_id: organizationId }).first();
  return presentCompliancePolicy(row);
}

export function presentCompliancePolicy(row: CompliancePoliciesRow | undefined): CompliancePolicyOut {
  if (!row) {
    const none = { legal_hold: false, hold_reason: '', version: 0, updated_by: null, updated_at: null };
    return { frameworks: [...COMPLIANCE_FRAMEWORKS], retention_days: DEFAULT_RETENTION_DAYS, ...none };
  }
  const { retention_days, legal_hold, hold_reason, version, updated_by, updated_at } = row;
  return { frameworks: frameworksIn(row), retention_days, legal_hold, hold_reason, version, updated_by, updated_at: updated_at.toISOString() };
}

/** In the order of the list. */
function frameworksIn({ frameworks }: Pick<CompliancePoliciesRow, 'frameworks'>): ComplianceFramework[] {
  return COMPLIANCE_FRAMEWORKS.filter((one) => frameworks.includes(one));
}

/**
 * Days for which contents stay, with the floor of the frameworks that are on: a row that says less does not
 * count.
 */
export function effectiveDays(row: Pick<CompliancePoliciesRow, 'frameworks' | 'retention_days'>): number {
  return row.frameworks.includes('eu_ai_act') ? Math.max(row.retention_days, EU_RETENTION_DAYS) : row.retention_days;
}
