// The budgets of the payer's policy, as caps of one use of a model or of one charge.
import type { Knex } from 'knex';
import { budgetsOf } from '../../policy/budgets.ts';
import type { Cap } from './limits.ts';

interface UseOfMoney {
  payerId: string;
  /** The model, or the skill: for what is recorded of a refusal. */
  resource: string;
  agentName: string | null;
  runId: string | null;
  personId?: string | null;
  rootRunId?: string | null;
}

/** `day`: YYYY-MM-DD, UTC. */
export async function policyCaps(db: Knex, use: UseOfMoney, day: string): Promise<Cap[]> {
  const payer = use.payerId;
  const policyBudgets = await budgetsOf(db, payer, { day, agentName: use.agentName, personId: use.personId ?? null, rootRunId: use.rootRunId ?? use.runId });
  if (!policyBudgets) return [];
  const { set, budgets } = policyBudgets;
  return budgets.map(({ id, member, limitMicros }) => ({
    id,
    limitMicros,
    whose: `the budget ${member} of the account that pays`,
    policy: {
      account_id: payer,
      action: 'spend',
      outcome: 'deny',
      rule: member,
      resource: use.resource,
      message: '',
      policy_version: set.version,
      policy_sha256: set.sha256,
      decision_id: null,
    },
  }));
}
