// What a refusal says of itself, until it is recorded.
import type { PolicyAction } from '#contract/states.ts';

export interface Denial {
  /** Whose policy. */
  account_id: string;
  action: PolicyAction;
  outcome: 'deny' | 'ask';
  /** A member of the policy, or the rule that decided. */
  rule: string;
  /** Agent, path, host or model. */
  resource: string;
  message: string;
  policy_version: number;
  policy_sha256: string;
  decision_id: string | null;
}

/** Where an account has rules and no fixed policy, and a rule names no hash. */
export const NO_POLICY_SHA256 = '0'.repeat(64);
