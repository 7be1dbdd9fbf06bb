const MICROS = 1_000_000;
export const MICROS_OF_A_CENT = 10_000;

/** `$2.50`, `$0.000007`: all of it, and cents at least. */
export function dollars(micros: number): string {
  const rest = micros % MICROS;
  const part = String(rest).padStart(6, '0');
  return `$${(micros - rest) / MICROS}.${part.slice(0, 2)}${part.slice(2).replace(/0+$/, '')}`;
}

/** Of an amount that may be below zero: `-$2.50`. */
export function signedDollars(micros: number): string {
  return micros < 0 ? `-${dollars(-micros)}` : dollars(micros);
}

/** Of what came or went: `+$2.50`, `-$0.01`. */
export function changeInDollars(micros: number): string {
  return micros < 0 ? signedDollars(micros) : `+${dollars(micros)}`;
}

/** `$12.50`, `¥1,250`: an amount in the smallest unit of a currency (ISO 4217). */
export function inCurrency(amount: number, currency: string): string {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    return `${amount} ${currency}`;
  }
}
