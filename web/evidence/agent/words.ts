// What evidence is called on pages, and in which color of the states it is shown.
import type { EvidenceLane, TrustState } from '#contract/states.ts';
import { inWords } from '../../kit/in-words.ts';

/** A state of the same color. */
export const TRUST_LOOK: Record<TrustState, string> = {
  unknown: 'unknown',
  unproven: 'unknown',
  reviewed: 'passed',
  proofed: 'passed',
  warning: 'warning',
  stale: 'warning',
  regressed: 'failed',
  blocked: 'failed',
};

export const LANE_NAMES: Record<EvidenceLane, string> = {
  version: 'Versions',
  authority: 'Authority',
  mutation: 'Changes',
  quality: 'Checks',
  process: 'Work',
  cost: 'Cost',
  control: 'Decisions',
};

const LOOKS: Record<string, string> = { error: 'failed', sealed: 'passed', open: 'pending', answered: 'passed', fixed: 'passed', critical: 'failed' };

/** A state whose color says the same. */
export const lookOf = (status: string): string => LOOKS[status] ?? status;

export const words = (text: string): string => inWords(text);
