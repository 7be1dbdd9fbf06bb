// The rules of an account as they are evaluated.
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { PolicyAction, PolicyDefault } from '#contract/states.ts';
import { POLICY_ACTIONS } from '#contract/states.ts';
import type { CedarModule } from './load.ts';
import { WITHOUT_APPROVAL } from './schema.ts';

export interface NamedRule {
  name: string;
  text: string;
}

export interface RuleSet {
  /** Which rules these are, in one process: account and version, or a word of its own. */
  key: string;
  policies: readonly NamedRule[];
  default_outcome: PolicyDefault;
}

/** No name of a rule has `_`. */
const DEFAULT_ALLOW = 'default_allow';
export const DEFAULT_DENY = 'default_deny';

/** The same rules have the same hash, in whatever order they stand. */
export function ruleSetHash({ policies, default_outcome }: Pick<RuleSet, 'policies' | 'default_outcome'>): string {
  const sorted = policies.map(({ name, text }) => ({ name, text })).sort((a, b) => (a.name < b.name ? -1 : 1));
  return canonicalSha256({ default_outcome, policies: sorted });
}

/** As Cedar takes them, by their names: without names it would number them. */
export function textsOf({ policies, default_outcome }: Pick<RuleSet, 'policies' | 'default_outcome'>): Record<string, string> {
  const named = Object.fromEntries(policies.map(({ name, text }) => [name, text]));
  return default_outcome === 'allow' ? { ...named, [DEFAULT_ALLOW]: 'permit(principal, action, resource);' } : named;
}

/**
 * The actions for which approval can matter at all. Where the default allows, what is allowed is allowed
 * without approval too, unless a forbid names the action without approval, or looks at the action in a
 * condition.
 */
export function approvalActions(cedar: CedarModule, set: RuleSet): ReadonlySet<PolicyAction> {
  const all = new Set(POLICY_ACTIONS);
  if (set.default_outcome === 'deny') return all;
  const actions = new Set<PolicyAction>();
  for (const { text } of set.policies) {
    const answer = cedar.policyToJson(text);
    if (answer.type === 'failure') return all;
    const { effect, action, conditions } = answer.json;
    if (effect === 'permit') continue;
    if (JSON.stringify(conditions).includes('"Var":"action"')) return all;
    const named = JSON.stringify(action);
    for (const one of POLICY_ACTIONS) if (named.includes(`"${one}${WITHOUT_APPROVAL}"`)) actions.add(one);
  }
  return actions;
}
