// Kinds of work, callers and purposes, in words.
import type { RunSort } from '#contract/runs/my-runs.ts';
import type { Output } from '../../api/client.ts';
import { capitalized, inWords } from '../../kit/in-words.ts';

type Row = Output<'myRuns', 'list'>['items'][number];

export const KINDS: Readonly<Record<string, string>> = {
  call: 'Call',
  run: 'Run',
  reported: 'Reported call',
  deploy: 'Deployment',
  dag: 'Plan',
  heal: 'Repair',
  review: 'Review',
  proof: 'Proof',
  adversarial_review_loop: 'Challenge',
  protocol_simulation: 'Rehearsal',
  kernel_simulation: 'Simulation',
  kernel_evolution: 'Comparison',
  import: 'Import',
  purge: 'Account deletion',
};

/** Of a kind that this page does not know: its own name, readable. */
export function kindWords(kind: string): string {
  return KINDS[kind] ?? capitalized(inWords(kind));
}

export const CALLERS: Readonly<Record<Row['caller']['kind'], string>> = {
  you: 'You',
  account: 'Another account',
  agent: 'An agent',
  token: 'A token of the agent',
  anonymous: 'Anonymous',
  platform: 'The platform',
};

export function callerWords({ kind, name }: Row['caller']): string {
  return name ?? CALLERS[kind];
}

export const SORTS: Readonly<Record<RunSort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  longest: 'Longest first',
  costliest: 'Most expensive first',
};

export const PURPOSES: Readonly<Record<NonNullable<Row['purpose']>, string>> = {
  challenge: 'of a challenge',
  evaluation: 'of an evaluation',
  proof: 'of a proof',
  simulation: 'of a simulation',
  trial: 'of a trial',
};
