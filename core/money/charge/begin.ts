// A call of a skill that has a price: who pays, and what it may cost at most is set aside before it begins, in the transaction that begins it.
import type { Knex } from 'knex';
import { priceWords } from '#contract/money/price-words.ts';
import type { SkillPricesRow } from '#db/tables.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isTransaction } from '../../kernel/tx.ts';
import { accountOf } from '../ledger/accounts.ts';
import { hold } from '../ledger/hold.ts';
import { livePrice } from '../price/live.ts';
import { payerOf, personOf } from '../price/payer.ts';
import { takeBudgets } from './budgets.ts';
import { takeFreeCall } from './free-call.ts';

export interface PricedCall {
  route: Pick<AgentRoute, 'agentId' | 'agentName' | 'ownerId' | 'prices'>;
  /** Who calls. */
  actor: Actor;
  /** What the call becomes. */
  run: Pick<RunActor, 'run_id' | 'root_run_id'>;
  skill: string;
}

export interface PendingCharge extends PricedCall {
  payerId: string;
  walletId: string;
}

const DAY_MS = 86_400_000;
/** Longer than any call: what is held is released then at the latest. */
const HELD_DAYS = 45;
/** Before its hold ends, so that a charge is never held without one. */
export const CHARGE_DAYS = 40;

export function holdKey(runId: string): string {
  return `run:${runId}`;
}

/** Undefined, without a statement: the call costs nothing. Before the transaction that begins it. @throws Unauthorized account_required */
export async function pendingCharge({ db }: Pick<Ctx, 'db'>, call: PricedCall): Promise<PendingCharge | undefined> {
  const { route, actor, skill } = call;
  if (!route.prices?.has(skill)) return undefined;
  const payerId = await payerOf(db, actor, route);
  if (payerId === null) return undefined;
  const walletId = await accountOf(db, 'wallet', payerId);
  // So that this process knows it when the call ends.
  if (!isTransaction(db)) await accountOf(db, 'earnings', route.ownerId);
  return { ...call, payerId, walletId };
}

/**
 * The last thing that a transaction does, as it locks the wallet. By the price that is valid now; nothing where it has ended since the route was read.
 * @throws PaymentRequired insufficient_credits, policy_budget_reached, llm_cap_reached; Forbidden policy_denied
 */
export async function holdCharge(tx: Knex.Transaction, ctx: Ctx, pending: PendingCharge): Promise<void> {
  const { route, run, skill, payerId, actor } = pending;
  const price = await livePrice(tx, route.agentId, skill);
  if (!price) return;
  const at = ctx.clock();
  const free = price.free_calls > 0 && (await takeFreeCall(tx, { payerId, agentId: route.agentId, skill, most: price.free_calls }));
  const cap_ids = free ? [] : await takeBudgets(tx, ctx, pending, price.max_micros);
  await tx('charges').insert({
    charge_id: newId('chg', at),
    run_id: run.run_id,
    agent_id: route.agentId,
    skill,
    price_id: price.price_id,
    creator_id: route.ownerId,
    payer_id: payerId,
    person_id: personOf(actor),
    state: 'held',
    free,
    held_micros: free ? 0 : price.max_micros,
    cap_ids,
    started_at: new Date(at),
  });
  if (!free) await holdMost(tx, pending, price, at);
}

async function holdMost(tx: Knex.Transaction, { route, run, skill, walletId }: PendingCharge, price: SkillPricesRow, at: number): Promise<void> {
  const micros = price.max_micros;
  try {
    const held = await hold(tx, { key: holdKey(run.run_id), accountId: walletId, micros, at, expiresAt: at + HELD_DAYS * DAY_MS });
    if (!held) throw new Error(`the call ${run.run_id} is charged already`);
  } catch (error) {
    if (!(error instanceof PaymentRequired)) throw error;
    const what = `${route.agentName}.${skill} costs ${priceWords(price)}`;
    throw new PaymentRequired('insufficient_credits', `${what}, and the account that pays has less to spend: add credits to it, then call again`, {
      agent: route.agentName,
      skill,
      price_id: price.price_id,
      call_micros: price.call_micros,
      second_micros: price.second_micros,
      token_micros: price.token_micros,
      artifact_micros: price.artifact_micros,
      max_micros: micros,
    });
  }
}
