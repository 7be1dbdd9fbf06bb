// What a profile lacks for its tier.
import type { RiskTier } from '#contract/states.ts';

export interface Profiled {
  risk_tier: RiskTier;
  intended_purpose: string;
  human_oversight: string;
  /** It serves, or is in the catalog. */
  in_use: boolean;
}

/** `asksPeople`: a rule of the organization asks a person before agents act. */
export function gapsOf({ risk_tier, intended_purpose, human_oversight, in_use }: Profiled, asksPeople: boolean): string[] {
  const gaps: string[] = [];
  if (risk_tier === 'unclassified') gaps.push('Its risk is not rated: give it a tier.');
  if (intended_purpose === '') gaps.push('Its intended purpose is not written down.');
  if (risk_tier === 'high' && human_oversight === '') gaps.push('It names no person who oversees it.');
  if (risk_tier === 'high' && !asksPeople)
    gaps.push('No rule asks a person before it acts: approve file writes (control room), or write a rule that asks (svc policy rules get).');
  if (risk_tier === 'unacceptable' && in_use) gaps.push('It still serves, though its risk is unacceptable: delete it, or rate it again.');
  return gaps;
}
