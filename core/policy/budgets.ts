// An account's budgets as limits of one use of a model: what they are called where they are counted, and how
// much they leave at most.
import type { Knex } from 'knex';
import { policyOf } from './known.ts';
import type { SetPolicy } from './policy.ts';

const MICROS_PER_CENT = 10_000;

export interface Budget {
  /** Where it is counted: the id of a cap. */
  id: string;
  cap: 'month' | 'day' | 'agent_day' | 'person_day' | 'run';
  limitMicros: number;
  /** The member of the policy. */
  member: 'monthly_budget_cents' | 'daily_budget_cents' | 'agent_daily_budget_cents' | 'person_daily_budget_cents' | 'run_budget_cents';
}

export interface SpendFacts {
  /** YYYY-MM-DD, UTC. */
  day: string;
  agentName: string | null;
  /** Who called the agent. */
  personId: string | null;
  /** The first run of the chain. */
  rootRunId: string | null;
}

/** Undefined: the account has set no policy. */
export async function budgetsOf(db: Knex, accountId: string, facts: SpendFacts): Promise<{ set: SetPolicy; budgets: Budget[] } | undefined> {
  const set = await policyOf(db, accountId);
  return set && { set, budgets: budgetsIn(set, accountId, facts) };
}

export function budgetsIn({ policy }: Pick<SetPolicy, 'policy'>, accountId: string, { day, agentName, personId, rootRunId }: SpendFacts): Budget[] {
  const all: (Omit<Budget, 'id' | 'limitMicros'> & { key: string | null })[] = [
    { cap: 'month', member: 'monthly_budget_cents', key: day.slice(0, 7) },
    { cap: 'day', member: 'daily_budget_cents', key: day },
    { cap: 'agent_day', member: 'agent_daily_budget_cents', key: agentName && `${day}:${agentName}` },
    { cap: 'person_day', member: 'person_daily_budget_cents', key: personId && `${day}:${personId}` },
    { cap: 'run', member: 'run_budget_cents', key: rootRunId },
  ];
  return all.flatMap(({ key, ...budget }) => {
    const cents = policy[budget.member];
    if (key === null || cents === null) return [];
    return [{ ...budget, id: budgetId(budget.cap, accountId, key), limitMicros: cents * MICROS_PER_CENT }];
  });
}

export function budgetId(cap: Budget['cap'], accountId: string, key: string): string {
  return `policy:${cap}:${key}:${accountId}`;
}
