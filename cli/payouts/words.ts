import { dollars } from '../dollars.ts';

/** `-$2.50`: amounts of payouts may be below zero. */
export function signedDollars(micros: number): string {
  return micros < 0 ? `-${dollars(-micros)}` : dollars(micros);
}
