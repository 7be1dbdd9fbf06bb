// What the list of decisions is filtered by, as it stands in the address.
import { POLICY_ACTIONS, POLICY_OUTCOMES, type PolicyAction, type PolicyOutcome } from '#contract/states.ts';

export interface DecisionSearch {
  outcome?: PolicyOutcome | undefined;
  action?: PolicyAction | undefined;
}

export function decisionSearch({ outcome, action }: Record<string, unknown>): DecisionSearch {
  return { outcome: POLICY_OUTCOMES.find((one) => one === outcome), action: POLICY_ACTIONS.find((one) => one === action) };
}
