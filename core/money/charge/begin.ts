// A call of a skill that has a price: who pays, and what it may cost at most is set aside before it begins,
// in the transaction that begins it.
import { priceWords } from '#contract/money/price-words.ts';
import type { LivePrice } from '../../agents/route/live-prices.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Actor, Ctx, RunActor, TxCtx } from '../../kernel/ctx.ts';
import { PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isTransaction } from '../../kernel/tx.ts';
import { accountOf } from '../ledger/accounts.ts';
import { covered } from '../ledger/post.ts';
import { payerOf, callingPerson } from '../price/payer.ts';
import { takeBudgets } from './budgets.ts';

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
  /** As the route had it. */
  price: LivePrice;
}

const DAY_MS = 86_400_000;
/** Longer than any call: what is held is released then at the latest. */
const HOLD_DAYS = 45;
/** Before its hold ends, so that a charge is never held without one. */
export const CHARGE_DAYS = 40;

export function holdKey(runId: string): string {
  return `run:${runId}`;
}

/**
 * Undefined, without a statement: the call costs nothing. Before the transaction that begins it. @throws
 * Unauthorized account_required
 */
export async function pendingCharge({ db }: Pick<Ctx, 'db'>, call: PricedCall): Promise<PendingCharge | undefined> {
  const { route, actor, skill } = call;
  const price = route.prices?.get(skill);
  if (!price) return undefined;
  const payerId = await payerOf(db, actor, route);
  if (payerId === null) return undefined;
  const walletId = await accountOf(db, 'wallet', payerId);
  // So that this process knows it when the call ends.
  if (!isTransaction(db)) await accountOf(db, 'earnings', route.ownerId);
  return { ...call, payerId, walletId, price };
}

/**
 * The last thing that a transaction does, as it locks the wallet. By the price that is valid now; nothing
 * where it has ended since the route was read.
 * @throws PaymentRequired insufficient_credits, policy_budget_reached, llm_cap_reached; Forbidden
 * policy_denied
 */
export async function holdCharge(ctx: TxCtx, pending: PendingCharge): Promise<void> {
  const charge_id = newId('chg', ctx.clock());
  const begun = await begin(ctx, pending, charge_id);
  if (!begun || begun.free) return;
  const cap_ids = await takeBudgets(ctx, pending, begun.max_micros);
  if (cap_ids.length > 0) await ctx.db('charges').where({ charge_id }).update({ cap_ids });
}

type Begun = LivePrice & { free: boolean };

/** Null: the skill has no price any more. */
async function begin(ctx: TxCtx, pending: PendingCharge, charge: string): Promise<Begun | null> {
  const { route, run, skill, payerId, walletId, actor } = pending;
  const at = ctx.clock();
  const bindings = {
    charge,
    run: run.run_id,
    agent: route.agentId,
    skill,
    creator: route.ownerId,
    payer: payerId,
    person: callingPerson(actor),
    wallet: walletId,
    hold: newId('hld', at),
    at: new Date(at),
    expires: new Date(at + HOLD_DAYS * DAY_MS),
  };
  const sql = 'select charge_begin(:charge, :run, :agent, :skill, :creator, :payer, :person, :wallet, :hold, :at, :expires) as begun';
  try {
    const { rows } = await covered(ctx.db.raw<{ rows: [{ begun: Begun | null }] }>(sql, bindings).options({ name: 'charge_begin' }));
    return rows[0].begun;
  } catch (error) {
    throw error instanceof PaymentRequired ? notCovered(pending) : error;
  }
}

function notCovered({ route, skill, price }: PendingCharge): PaymentRequired {
  const { price_id, call_micros, second_micros, token_micros, artifact_micros, max_micros } = price;
  const what = `A call of ${route.agentName}.${skill} costs ${priceWords(price)}`;
  const details = { agent: route.agentName, skill, price_id, call_micros, second_micros, token_micros, artifact_micros, max_micros };
  return new PaymentRequired('insufficient_credits', `${what}, and the account that pays has less to spend: add credits to it, then call again`, details);
}
