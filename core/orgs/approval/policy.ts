// The rules that say who in an organization must approve what.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ApprovalPolicyOut, Approvers, ApprovalRule } from '#contract/orgs/approvals.ts';
import { act, done } from '../../kernel/act.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { Conflict, Invalid } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { storableJson } from '../../kernel/storable.ts';
import { stagesOf } from '../../pauses/approval/model.ts';
import { type ApprovalPolicy, approvalPolicyOf, approvalPolicySha256 } from '../../pauses/approval/policy.ts';
import { organizationFor, organizationNamed } from '../organization/find.ts';
import { activeMember, shownPeople } from './people.ts';

type PolicyOut = z.infer<typeof ApprovalPolicyOut>;

/** @throws NotFound organization_not_found */
export async function readApprovalPolicy(ctx: Ctx, { slug }: { slug: string }): Promise<PolicyOut> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'approval.read', slug);
  return present(ctx.db, organization_id, await approvalPolicyOf(ctx.db, organization_id));
}

/**
 * @throws NotFound organization_not_found; Forbidden role_not_allowed; Conflict approval_policy_changed;
 * Invalid for who is no active member
 */
export async function setApprovalPolicy(ctx: Ctx, i: { slug: string; rules: readonly ApprovalRule[]; version?: number | undefined }): Promise<PolicyOut> {
  return act(ctx, 'approval.policy', organizationNamed(i.slug), async (ctx, { organization_id, actor }) => {
    await lockName(ctx.db, `approval-policy/${organization_id}`);
    const before = await approvalPolicyOf(ctx.db, organization_id);
    const now = before?.row.version ?? 0;
    if (i.version !== undefined && i.version !== now)
      throw new Conflict('approval_policy_changed', `The rules have version ${now}, not ${i.version}: read them again, then decide`, { version: now });
    const rules = await resolved(ctx.db, organization_id, i.rules);
    const version = now + 1;
    const sha256 = approvalPolicySha256(version, rules);
    await ctx.db('approval_policies').insert({
      organization_id,
      version,
      sha256,
      rules: storableJson(rules),
      made_by: personOf(actor),
      made_at: new Date(ctx.clock()),
    });
    const shown = await present(ctx.db, organization_id, await approvalPolicyOf(ctx.db, organization_id));
    return done({ organization: organization_id }, { version, sha256, rules: rules.map(({ name }) => name) }, shown);
  });
}

async function present(db: Knex, organizationId: string, policy: ApprovalPolicy | undefined): Promise<PolicyOut> {
  if (!policy) return { version: 0, sha256: null, rules: [], people: [], made_by: null, made_at: null };
  const { row, rules } = policy;
  const named = rules.flatMap(stagesOf).flatMap(({ approvers }) => ('people' in approvers ? approvers.people : []));
  const people = await shownPeople(db, organizationId, named);
  return { version: row.version, sha256: row.sha256, rules, people: [...people.values()], made_by: row.made_by, made_at: row.made_at.toISOString() };
}

/** With user ids for addresses. @throws Invalid */
async function resolved(tx: Knex, organizationId: string, rules: readonly ApprovalRule[]): Promise<ApprovalRule[]> {
  const issues: Invalid['issues'] = [];
  const known = new Map<string, string | undefined>();
  const idsOf = async (approvers: Approvers, path: (string | number)[]): Promise<Approvers> => {
    if (!('people' in approvers)) return approvers;
    const ids: string[] = [];
    for (const [at, named] of approvers.people.entries()) {
      if (!known.has(named)) known.set(named, await activeMember(tx, organizationId, named));
      const id = known.get(named);
      if (id === undefined) issues.push({ path: [...path, 'people', at], message: 'is no active member: give a user id or an address of one' });
      else if (ids.includes(id)) issues.push({ path: [...path, 'people', at], message: 'is named twice' });
      else ids.push(id);
    }
    if (approvers.need !== undefined && approvers.need > approvers.people.length)
      issues.push({ path: [...path, 'need'], message: `only ${approvers.people.length} are named` });
    return { ...approvers, people: ids };
  };
  const all: ApprovalRule[] = [];
  for (const [at, rule] of rules.entries()) {
    const path = ['body', 'rules', at];
    if (rules.findIndex(({ name }) => name === rule.name) !== at) issues.push({ path: [...path, 'name'], message: 'another rule has this name' });
    const approvers = await idsOf(rule.approvers, [...path, 'approvers']);
    const escalate = rule.escalate && { ...rule.escalate, approvers: await idsOf(rule.escalate.approvers, [...path, 'escalate', 'approvers']) };
    all.push({ ...rule, approvers, ...(escalate && { escalate }) });
  }
  if (issues.length > 0) throw new Invalid(issues);
  return all;
}
