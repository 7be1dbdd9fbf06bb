// What a call cost, by what its receipt says of it.
import type { Knex } from 'knex';
import type { ChargedUnits, ReceiptCharge, ReceiptPayload } from '#contract/wire/receipt.ts';
import type { OpenCharge } from './open-charge.ts';

export interface EndedCall {
  status: ReceiptPayload['status'];
  /** As the receipt has it. */
  durationMs: number;
}

const NOTHING: ChargedUnits = { calls: 0, seconds: 0, tokens: 0, artifacts: 0 };

/** For the receipt. A call that did not go well costs nothing. */
export async function chargeOf(tx: Knex, held: OpenCharge, ended: EndedCall): Promise<ReceiptCharge> {
  const { charge_id, price_id, free, held_micros: max_micros } = held;
  // Without its price the amount is unknown; without its hold no money was reserved for it.
  const counts = ended.status === 'ok' && held.price !== null && (free || held.covered);
  const units = counts ? await unitsOf(tx, held, ended) : NOTHING;
  return { charge_id, price_id, free, amount_micros: amountOf(held, units), max_micros, units };
}

/** In whole numbers: many seconds of a dear price are more than a double holds. */
function amountOf({ price, free, held_micros }: OpenCharge, units: ChargedUnits): number {
  if (free || price === null) return 0;
  const sum =
    BigInt(price.call_micros) * BigInt(units.calls) +
    BigInt(price.second_micros) * BigInt(units.seconds) +
    BigInt(price.token_micros) * BigInt(units.tokens) +
    BigInt(price.artifact_micros) * BigInt(units.artifacts);
  return sum > BigInt(held_micros) ? held_micros : Number(sum);
}

async function unitsOf(tx: Knex, { price, run_id, payer_id }: OpenCharge, { durationMs }: EndedCall): Promise<ChargedUnits> {
  return {
    calls: 1,
    seconds: Math.ceil(durationMs / 1000),
    tokens: price?.token_micros ? await tokensOf(tx, run_id, payer_id) : 0,
    artifacts: price?.artifact_micros ? await artifactsOf(tx, run_id) : 0,
  };
}

/** Of models that the run used, but for those on a credential of who pays: they have paid for those. */
async function tokensOf(tx: Knex, run_id: string, payer_id: string): Promise<number> {
  const row = await tx('llm_usage')
    .where({ run_id })
    .whereNot({ user_id: payer_id })
    .whereIn('state', ['ok', 'failed', 'cancelled'])
    .first<{ tokens: number } | undefined>(tx.raw('coalesce(sum(input_tokens::bigint + output_tokens), 0)::bigint as tokens'));
  return row?.tokens ?? 0;
}

async function artifactsOf(tx: Knex, run_id: string): Promise<number> {
  const row = await tx('artifacts').where({ run_id }).first<{ many: number } | undefined>(tx.raw('count(*)::int as many'));
  return row?.many ?? 0;
}
