// A reason to change something about an agent, as a rule finds it: it becomes a proposal unless there is one
// already.
import { createHash } from 'node:crypto';
import type { ProposalOut } from '#contract/studio/autopilot.ts';
import type { FindingSeverity, ProposalCategory } from '#contract/states.ts';
import type { LookedAt } from './facts.ts';

export type Evidence = ProposalOut['evidence'][number];

export interface Cause {
  agent: LookedAt;
  category: ProposalCategory;
  /** What it is about: the same again is the same proposal. */
  what: string;
  severity: FindingSeverity;
  title: string;
  idea: string;
  rationale: string;
  evidence: Evidence[];
}

export function fingerprintOf({ category, what }: Pick<Cause, 'category' | 'what'>): string {
  return createHash('sha256')
    .update(JSON.stringify([category, what]))
    .digest('hex');
}

export const figure = (text: string): Evidence => ({ kind: 'figure', id: null, text });
export const deployment = ({ deploy_id, version, live_since }: LookedAt): Evidence => ({
  kind: 'deployment',
  id: deploy_id,
  text: `Version ${version ?? 'without a number'}, live since ${isoDay(live_since)}`,
});

export const dollars = (micros: number): string => `$${(micros / 1_000_000).toFixed(micros < 10_000 ? 4 : 2)}`;
export const times = (factor: number): string => `${Math.round(factor * 10) / 10} times`;
export const isoDay = (at: Date): string => at.toISOString().slice(0, 10);
export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
