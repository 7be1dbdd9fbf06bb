// The calls of agents that one run may make, with those of the agents that it calls. Taken in the transaction
// that begins the call, in one guarded statement: of racing calls no more than allowed pass, and a call that
// does not begin gives its place back with the rest.
import type { Knex } from 'knex';
import type { Ctx, TxCtx } from '../kernel/ctx.ts';
import { policyOf } from './known.ts';
import { policyDenied } from './deny.ts';

interface Calls {
  accounts: readonly string[];
  /** The first run of the chain, or the plan. */
  rootId: string;
  /** Of the agent that is called. */
  agent: string;
  calls: number;
}

/** @throws Forbidden policy_denied */
export async function takeAgentCalls(ctx: TxCtx, { accounts, rootId, agent, calls }: Calls): Promise<void> {
  // In one order: two chains under the same two accounts do not wait for each other.
  for (const accountId of [...new Set(accounts)].sort()) {
    const set = await policyOf(ctx.db, accountId);
    if (!set) continue;
    const most = set.policy.max_agent_calls_per_run;
    if (await take(ctx.db, { countId: countIdOf(accountId, rootId), accountId, calls, most })) continue;
    throw policyDenied({
      account_id: accountId,
      action: 'handoff',
      outcome: 'deny',
      rule: 'max_agent_calls_per_run',
      resource: agent,
      message: `A run may call agents ${most} times, with the calls of the agents that it calls (max_agent_calls_per_run)`,
      policy_version: set.version,
      policy_sha256: set.sha256,
      decision_id: null,
    });
  }
}

export function countIdOf(accountId: string, rootId: string): string {
  return `calls:${rootId}:${accountId}`;
}

async function take(tx: Knex, i: { countId: string; accountId: string; calls: number; most: number }): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `insert into policy_counts as c (count_id, user_id, taken) select :countId, :accountId, :calls::int where :calls::int <= :most::int
     on conflict (count_id) do update set taken = c.taken + excluded.taken where c.taken + excluded.taken <= :most::int
     returning 1`,
    i,
  );
  return rows.length > 0;
}

/** A run may wait for a person for 30 days. */
const RETENTION_DAYS = 60;

export async function sweepCounts({ db }: Pick<Ctx, 'db'>): Promise<number> {
  return db('policy_counts').whereRaw(`created_at < now() - interval '${RETENTION_DAYS} days'`).delete();
}
