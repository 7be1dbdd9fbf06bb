// How far an actor is trusted, of what was seen of it. A proof never outweighs a later critical finding.

const TRUST_STATES = ['unknown', 'unproven', 'reviewed', 'proofed', 'warning', 'blocked'] as const;
export type TrustState = (typeof TRUST_STATES)[number];

export interface TrustFacts {
  good: number;
  bad: number;
  /** Step of the last examination that it passed; 0: none. */
  reviewed_at: number;
  proofed_at: number;
  /** Step of the last critical finding; 0: none. */
  critical_at: number;
}

export function trustOf({ good, bad, reviewed_at, proofed_at, critical_at }: TrustFacts): TrustState {
  if (critical_at > 0 && critical_at >= Math.max(reviewed_at, proofed_at)) return 'blocked';
  if (good + bad >= 4 && bad > good) return 'warning';
  if (proofed_at > 0) return 'proofed';
  if (reviewed_at > 0) return 'reviewed';
  return good + bad > 0 ? 'unproven' : 'unknown';
}

/** Share of good outcomes in a thousand; 500 for one of whom nothing is known (Laplace). */
export function reputation({ good, bad }: Pick<TrustFacts, 'good' | 'bad'>): number {
  return Math.floor(((good + 1) * 1000) / (good + bad + 2));
}
