// What the list of decision records is filtered by, as it stands in the address.
import { DECISION_KINDS, DECISION_OUTCOMES, type DecisionKind, type DecisionOutcome } from '#contract/states.ts';
import { present } from '../../kit/search.ts';

export interface RecordSearch {
  kind?: DecisionKind | undefined;
  outcome?: DecisionOutcome | undefined;
  agent?: string | undefined;
}

export function recordSearch({ kind, outcome, agent }: Record<string, unknown>): RecordSearch {
  return present({
    kind: DECISION_KINDS.find((one) => one === kind),
    outcome: DECISION_OUTCOMES.find((one) => one === outcome),
    agent: typeof agent === 'string' && agent !== '' ? agent : undefined,
  });
}
