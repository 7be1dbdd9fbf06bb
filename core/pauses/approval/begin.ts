// Whether several members of an organization decide a wait that begins now, and by which rule. Accounts of
// persons have no such rules: nothing is read.
import type { Knex } from 'knex';
import type { ApprovalSubject } from '#contract/states.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isOrganizationId } from '../../kernel/ids.ts';
import { storableJson } from '../../kernel/storable.ts';
import { ruleFor } from './match.ts';
import { type Approval, type ApprovalFacts, stagesOf } from './model.ts';
import { approvalPolicyOf } from './policy.ts';
import { type Led, startersOf } from './starters.ts';

export interface ToApprove extends Led {
  /** Account that is asked. */
  askedOf: string;
  subject: ApprovalSubject;
  /** A rule of the account asked, be it of the control room or a written one. */
  byPolicy?: boolean | undefined;
  pairs: ApprovalFacts['pairs'];
  paths?: readonly string[];
  amountMicros?: number | null | undefined;
}

/** Columns of the wait. `expiresAt`: milliseconds since the epoch. */
export interface ApprovalStart {
  columns: { approval: string; approval_stage: number } | Record<string, never>;
  expiresAt: number;
  votes: boolean;
  /** For the event of the run. */
  facts: Record<string, unknown>;
}

export async function beginApproval(ctx: Pick<Ctx, 'clock' | 'db'>, i: ToApprove | null, timeoutSeconds: number): Promise<ApprovalStart> {
  const now = ctx.clock();
  const limit = now + timeoutSeconds * 1000;
  const approval = i && isOrganizationId(i.askedOf) ? await approvalFor(ctx.db, i, limit) : undefined;
  const [first] = approval?.stages ?? [];
  if (!approval || !first) return { columns: {}, expiresAt: limit, votes: false, facts: {} };
  const { rule, policy_version, policy_sha256 } = approval;
  return {
    columns: { approval: storableJson(approval), approval_stage: 0 },
    expiresAt: Math.min(limit, now + first.deadline_seconds * 1000),
    votes: true,
    facts: { approval: { rule, policy_version, policy_sha256 } },
  };
}

async function approvalFor(tx: Knex, i: ToApprove, limit: number): Promise<Approval | undefined> {
  const policy = await approvalPolicyOf(tx, i.askedOf);
  const rule =
    policy &&
    ruleFor(policy.rules, {
      subjects: i.byPolicy ? [i.subject, 'policy_ask'] : [i.subject],
      pairs: i.pairs,
      paths: i.paths ?? [],
      amountMicros: i.amountMicros ?? null,
    });
  if (!rule) return undefined;
  return {
    rule: rule.name,
    policy_version: policy.row.version,
    policy_sha256: policy.row.sha256,
    starter_may_count: rule.starter_may_count,
    starters: await startersOf(tx, i),
    stages: stagesOf(rule),
    limit_at: limit,
  };
}
