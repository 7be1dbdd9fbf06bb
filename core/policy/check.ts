// Asked before a run delegates, writes, opens the network or spends: first the account's fixed policy, then
// the rules it wrote. Nothing is recorded here; a refusal carries what deny.ts records of it.
import type { Knex } from 'knex';
import type { ControlRoomPolicy } from '#contract/overview/control-room.ts';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import type { PolicyAction } from '#contract/states.ts';
import type { Actor, Ctx } from '../kernel/ctx.ts';
import { anyPolicies, policyOf } from './known.ts';
import { type Denial, NO_POLICY_SHA256 } from './model.ts';
import type { SetPolicy } from './policy.ts';
import type { RuleContext, RulePrincipal } from './cedar/request.ts';
import { type PolicyResource, askRules, resourceName } from './rules.ts';

export interface PolicyQuestion {
  action: PolicyAction;
  /** Whose policies it is held to: accountsOf, and whose files or money it is. */
  accounts: readonly string[];
  resource: PolicyResource;
  /** What is called, or receives a grant. */
  agent?: string;
  /** Data leaves the platform: an imported agent is called, a host outside is reached. */
  leaves?: boolean;
  /** The principal, where the actor does not name it: an anonymous caller on behalf of an agent. */
  principal?: RulePrincipal;
  /** Facts for written rules. */
  context?: RuleContext;
}

export type PolicyVerdict = { outcome: 'allow' } | { outcome: 'deny' | 'ask'; denial: Denial };

const ALLOWED: PolicyVerdict = { outcome: 'allow' };

/**
 * A refusal by one account counts; otherwise a question to a person by one of them. `ctx.db` may be a
 * transaction.
 */
export async function checkPolicy(ctx: Ctx, question: PolicyQuestion): Promise<PolicyVerdict> {
  let combinedVerdict: PolicyVerdict = ALLOWED;
  for (const accountId of new Set(question.accounts)) {
    const verdict = await ofAccount(ctx, accountId, question);
    if (verdict.outcome === 'deny') return verdict;
    if (combinedVerdict.outcome === 'allow') combinedVerdict = verdict;
  }
  return combinedVerdict;
}

async function ofAccount(ctx: Ctx, accountId: string, question: PolicyQuestion): Promise<PolicyVerdict> {
  const set = await policyOf(ctx.db, accountId);
  const fixed = set && byFixedPolicy(ctx.actor, set.policy, question);
  if (fixed?.outcome === 'deny') return verdictOf(accountId, question, set, fixed);
  const { action, resource, context = {}, principal } = question;
  const rules = await askRules(ctx, { accountId, action, resource, context, ...(principal && { principal }) });
  if (rules && rules.outcome !== 'allow') {
    const message = `A rule of the account ${rules.outcome === 'deny' ? 'denies it' : 'asks a person'} (${rules.reasons.join(', ')})`;
    const by = { rule: rules.reasons[0] ?? 'rules', message, decision_id: rules.decision_id, policy_sha256: hashOf(rules.policy_hash) };
    return verdictOf(accountId, question, set, { outcome: rules.outcome, ...by });
  }
  return fixed ? verdictOf(accountId, question, set, fixed) : ALLOWED;
}

/** As a receipt can have it. */
function hashOf(text: string): string {
  return /^[0-9a-f]{64}$/.test(text) ? text : sha256Hex(text);
}

interface Decided {
  outcome: 'deny' | 'ask';
  rule: string;
  message: string;
  decision_id?: string;
  policy_sha256?: string;
}

function verdictOf(accountId: string, { action, agent, resource }: PolicyQuestion, set: SetPolicy | undefined, decided: Decided): PolicyVerdict {
  const denial: Denial = {
    account_id: accountId,
    action,
    // The fixed policy knows agents, rules know skills.
    resource: decided.decision_id === undefined ? (agent ?? resourceName(resource)) : resourceName(resource),
    policy_version: set?.version ?? 0,
    decision_id: null,
    ...decided,
    policy_sha256: decided.policy_sha256 ?? set?.sha256 ?? NO_POLICY_SHA256,
  };
  return { outcome: decided.outcome, denial };
}

function byFixedPolicy(actor: Actor, policy: ControlRoomPolicy, { action, agent, leaves }: PolicyQuestion): Decided | undefined {
  if (agent !== undefined && policy.only_approved_agents && !policy.approved_agents.includes(agent))
    return deny('only_approved_agents', `${agent} is not among the agents that the account has approved (approved_agents)`);
  if (leaves === true && policy.deny_external_network)
    return deny('deny_external_network', 'The account lets its agents reach nothing outside the platform (deny_external_network)');
  if (action === 'write_file' && policy.require_approval_for_file_writes && actor.kind === 'run')
    return {
      outcome: 'ask',
      rule: 'require_approval_for_file_writes',
      message: 'The account approves runs that write its files (require_approval_for_file_writes)',
    };
  return undefined;
}

function deny(rule: keyof ControlRoomPolicy, message: string): Decided {
  return { outcome: 'deny', rule, message };
}

/** Whether what these accounts' calls take and give is kept from models and from what is stored of calls. */
export async function isPiiSafe(db: Knex, accounts: readonly (string | null)[]): Promise<boolean> {
  if (!(await anyPolicies(db))) return false;
  for (const account of accounts) {
    if (account !== null && (await policyOf(db, account))?.policy.pii_safe_mode === true) return true;
  }
  return false;
}
