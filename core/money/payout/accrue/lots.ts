// Lots of a wallet: what came in, and what is left of it. Spent first in, first out; of one lot what was
// received goes first, what was taken back last.

export interface Lot {
  /** Of the wallet's entry. */
  version: number;
  /**
   * Micro-credits that are left: received from outside; anything else; of that, what was received and taken
   * back.
   */
  received: number;
  other: number;
  lost: number;
}

/** What a spend took of one lot. */
export type Part = Lot;

export function leftOf({ received, other }: Pick<Lot, 'received' | 'other'>): number {
  return received + other;
}

/**
 * Takes `micros` from the lots, which it changes. @throws Error where they do not cover it: what came in was
 * not all read
 */
export function take(lots: readonly Lot[], micros: number): Part[] {
  const parts: Part[] = [];
  let missing = micros;
  for (const lot of lots) {
    if (missing === 0) break;
    const part = takeOf(lot, missing);
    if (leftOf(part) === 0) continue;
    parts.push(part);
    missing -= leftOf(part);
  }
  if (missing > 0) throw new Error(`lots of the wallet do not cover ${missing} micro-credits`);
  return parts;
}

/** As much as the lot has, up to `micros`. */
export function takeOf(lot: Lot, micros: number): Part {
  const received = Math.min(lot.received, micros);
  const other = Math.min(lot.other, micros - received);
  const lost = Math.max(0, other - (lot.other - lot.lost));
  lot.received -= received;
  lot.other -= other;
  lot.lost -= lost;
  return { version: lot.version, received, other, lost };
}
