// What the rules of an account say to something that is about to happen. Without rules it costs a look into a
// map.
import type { PolicyAction, PolicyOutcome } from '#contract/states.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { onceInTx } from '../../kernel/outside-tx.ts';
import type { Verdict } from './engine.ts';
import { noteBroken } from './health.ts';
import { decideBy, ruleQuestionKey } from './process-engine.ts';
import { recordDecision } from './record.ts';
import type { RuleContext, RuleFacts, RulePrincipal, RuleResource } from './request.ts';
import { type AccountRules, rulesOf } from './rules.ts';

export interface CedarQuestion {
  /** Whose rules are asked. */
  accountId: string;
  /** Who would do it. */
  principal: RulePrincipal;
  action: PolicyAction;
  /** To what. */
  resource: RuleResource;
  context: RuleContext;
}

export interface RuleDecision {
  /** `ask`: only with the approval of a person. */
  outcome: PolicyOutcome;
  /** With the hash, what a receipt and an audit row name. */
  decision_id: string;
  policy_hash: string;
  /** Names of the rules that decided, or a word with `_` where none did. */
  reasons: string[];
}

/**
 * Null: the account has no rules. A denial and a question for a person are kept before this returns, what is
 * allowed soon after. Ask before a transaction: inside one, a denial is kept after it, on a connection of its
 * own.
 */
export async function decideByRules(ctx: Ctx, question: CedarQuestion): Promise<RuleDecision | null> {
  const { accountId, ...asked } = question;
  const rules = await rulesOf(ctx.db, accountId);
  if (!rules) return null;
  const facts = { ...asked, at: ctx.clock() };
  const verdict = await decideBy(accountId, rules, facts);
  return onceInTx(`decision of ${ruleQuestionKey(rules, facts)}`, () => decided(ctx, rules, { accountId, facts, verdict }));
}

async function decided(ctx: Ctx, rules: AccountRules, i: { accountId: string; facts: RuleFacts; verdict: Verdict }): Promise<RuleDecision> {
  const { accountId, facts } = i;
  const { outcome, reasons, broken } = i.verdict;
  if (broken) noteBroken({ account_id: accountId, rules_version: rules.version, cause: broken });
  const decision = { decision_id: newId('pdc', facts.at), outcome, policy_hash: rules.hash, reasons };
  await recordDecision(ctx.db, rules, { accountId, decision, facts });
  return decision;
}

/** The principal for rules. Null: no principal of the platform, or the platform itself. */
export function principalOf(actor: Actor): RulePrincipal | null {
  switch (actor.kind) {
    case 'run':
      return {
        type: 'Run',
        id: actor.run_id,
        agent: actor.agent_name,
        owner: actor.owner_id,
        skill: actor.skill,
        depth: actor.chain.length,
        caller: actor.user_id,
      };
    case 'user':
    case 'agent_session':
      return { type: 'User', id: actor.user_id };
    case 'api_token':
    case 'source_token':
      return { type: 'User', id: actor.owner_id };
    case 'org_scim':
    case 'platform':
    case 'anonymous':
      return null;
  }
}
