// The approval rules of an organization as they are now.
import type { Knex } from 'knex';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { ApprovalRule } from '#contract/orgs/approvals.ts';
import type { ApprovalPoliciesRow } from '#db/tables.ts';

export interface ApprovalPolicy {
  row: ApprovalPoliciesRow;
  rules: ApprovalRule[];
}

export async function approvalPolicyOf(db: Knex, organizationId: string): Promise<ApprovalPolicy | undefined> {
  const row = await db('approval_policies').where({ organization_id: organizationId }).orderBy('version', 'desc').first();
  // Safe: setApprovalPolicy is the only writer.
  return row && { row, rules: row.rules as ApprovalRule[] };
}

/** Of version and rules: what a wait and its receipt name. */
export function approvalPolicySha256(version: number, rules: readonly ApprovalRule[]): string {
  return canonicalSha256({ version, rules });
}
