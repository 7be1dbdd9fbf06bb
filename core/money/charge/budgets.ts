// Charges count as spend: what a call may cost is reserved under the budgets of who pays, where the costs of
// models are counted too.
import type { Knex } from 'knex';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { setting } from '../../kernel/settings.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { requirePolicy } from '../../policy/deny.ts';
import { policyOf } from '../../policy/known.ts';
import { dayOf } from '../llm/credential.ts';
import { type Cap, type LimitsTaken, limitRefusal, takeLimits } from '../llm/limits.ts';
import { policyCaps } from '../llm/policy-caps.ts';
import { callingPerson } from '../price/payer.ts';
import type { PendingCharge } from './begin.ts';

const MICROS_PER_CENT = 10_000;

/**
 * Ids of the caps under which `micros` is reserved now. The caps in the order of their ids, and after the
 * wallet, as at the end of a call.
 * @throws PaymentRequired policy_budget_reached, llm_cap_reached; Forbidden policy_denied
 */
export async function takeBudgets(outer: TxCtx, pending: PendingCharge, micros: number): Promise<string[]> {
  const { actor, route, payerId } = pending;
  const ctx: Ctx = { ...outer, actor, db: outer.db };
  const accounts = [...new Set([payerId, ...(await accountsOf(outer.db, actor))])];
  const context = { money: { amount_cents: micros / MICROS_PER_CENT } };
  await requirePolicy(ctx, { action: 'spend', accounts, resource: { type: 'Agent', name: route.agentName }, context });
  const now = ctx.clock();
  const caps = await capsOf(outer.db, pending, dayOf(now));
  if (caps.length === 0) return [];
  const limits = { caps, rates: [], needed: { micros, tokens: 0 }, userId: payerId, now };
  const { sql, bindings } = takeLimits(limits);
  const { rows } = await outer.db.raw<{ rows: [LimitsTaken] }>(
    `with spending as (select 1), ${sql}
     select array(select cap_id from capped) as caps, array(select rate_id from rated) as rates`,
    bindings,
  );
  const refused = limitRefusal(limits, rows[0]);
  if (refused) throw refused;
  return caps.map(({ id }) => id);
}

async function capsOf(tx: Knex, { actor, route, run, skill, payerId }: PendingCharge, day: string): Promise<Cap[]> {
  const rootRunId = run.root_run_id ?? run.run_id;
  const use = { payerId, resource: `${route.agentName}.${skill}`, agentName: route.agentName, runId: run.run_id, personId: callingPerson(actor), rootRunId };
  const caps = await policyCaps(tx, use, day);
  // The account has set no budget: the limit of the installation applies to agents of others.
  if (actor.kind !== 'run' || actor.owner_id === payerId || (await policyOf(tx, payerId))) return caps;
  const limitMicros = (await setting(tx, 'nested_charges_per_run_cents')) * MICROS_PER_CENT;
  const whose = "what agents of others may spend in a run of an account that has set no budget (run_budget_cents of the account's policy)";
  return [...caps, { id: `charges:${rootRunId}:${payerId}`, limitMicros, whose }];
}

/** What was reserved is free again, and `amount` is spent. */
export async function freeBudgets(tx: Knex, { cap_ids, held_micros }: { cap_ids: readonly string[]; held_micros: number }, amount: number): Promise<void> {
  if (cap_ids.length === 0) return;
  await tx.raw(
    `with locked as (select cap_id from llm_caps where cap_id = any(:ids) order by cap_id for update)
     update llm_caps p set reserved_micros = p.reserved_micros - :held, spent_micros = p.spent_micros + :amount from locked where p.cap_id = locked.cap_id`,
    { ids: [...cap_ids], held: held_micros, amount },
  );
}
