// What the skills of an agent cost now, read with its route. The table is written by core/money/price.

export interface LivePrice {
  price_id: string;
  /** Micro-credits. */
  call_micros: number;
  second_micros: number;
  token_micros: number;
  artifact_micros: number;
  max_micros: number;
  free_calls: number;
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
