import type { SkillPriceOut } from '#contract/money/prices.ts';
import type { SkillPricesRow } from '#db/tables.ts';

export function presentPrice(row: SkillPricesRow): SkillPriceOut {
  const { price_id, skill, version, call_micros, second_micros, token_micros, artifact_micros, max_micros, free_calls } = row;
  return {
    price_id,
    skill,
    version,
    call_micros,
    second_micros,
    token_micros,
    artifact_micros,
    max_micros,
    free_calls,
    valid_from: row.valid_from.toISOString(),
    valid_until: row.valid_until?.toISOString() ?? null,
  };
}

/** `$0.02`, `$0.000007`: micro-credits for a message. */
export function inDollars(micros: number): string {
  const part = String(micros % 1_000_000).padStart(6, '0');
  return `$${Math.floor(micros / 1_000_000)}.${part.slice(0, 2)}${part.slice(2).replace(/0+$/, '')}`;
}
