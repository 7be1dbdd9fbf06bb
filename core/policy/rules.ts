// Rules that accounts write themselves. Nobody has written any: the fixed policy decides alone.
import type { Ctx } from '../kernel/ctx.ts';

export interface RuleQuestion {
  /** Whose rules. */
  accountId: string;
  principal: { type: 'User' | 'Agent' | 'Run'; id: string };
  action: string;
  resource: { type: 'Agent' | 'Skill' | 'Path' | 'Host'; id: string };
  /** Facts, without content or secrets. */
  context: Record<string, unknown>;
}

export interface RuleDecision {
  outcome: 'allow' | 'deny' | 'ask';
  decision_id: string;
  policy_hash: string;
  reasons: string[];
}

/** Null: the account has no rules. */
export const decideByRules: (ctx: Ctx, question: RuleQuestion) => Promise<RuleDecision | null> = () => Promise.resolve(null);
