import { checkGrant } from '#contract/crypto/grant-token.ts';
import { AUDIENCE, KEY, mutants, NOW } from './tokens.ts';

/** Checks that many mutants; resolves with the accepted ones and how often each kind was tried. */
export function fuzzTokens(seed: number, count: number): { accepted: { kind: string; token: string }[]; tried: Record<string, number> } {
  const accepted: { kind: string; token: string }[] = [];
  const tried: Record<string, number> = {};
  for (const mutant of mutants(seed, count)) {
    tried[mutant.kind] = (tried[mutant.kind] ?? 0) + 1;
    if (checkGrant(mutant.token, KEY, { audience: AUDIENCE, now: NOW }).ok) accepted.push(mutant);
  }
  return { accepted, tried };
}
