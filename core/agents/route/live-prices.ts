// What the skills of an agent cost now, read with its route. The table is written by core/money/price.
import type { PriceWords } from '#contract/money/price-words.ts';

export interface LivePrice extends PriceWords {
  price_id: string;
}

/** By the name of the skill. */
export type LivePrices = ReadonlyMap<string, LivePrice>;

/** SQL: null, or an object of prices by skill, of the agent in `column`. */
export function livePricesOf(column: string): string {
  return `(select jsonb_object_agg(p.skill, to_jsonb(p)) from skill_prices p where p.agent_id = ${column} and p.valid_until is null)`;
}

/** Undefined: no skill has a price. */
export function readLivePrices(stored: Record<string, LivePrice> | null): LivePrices | undefined {
  return stored === null ? undefined : new Map(Object.entries(stored));
}
