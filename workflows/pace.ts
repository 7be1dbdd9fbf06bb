// How often a workflow looks at what may change without a signal: often at first, then at every eighth of the
// time that it has waited. So histories stay short however long it lasts
// (test/engine/histories.parts.test.ts).
import { CancellationScope, patched, workflowInfo } from '@temporalio/workflow';

/** Milliseconds between two looks. */
export interface Pace {
  least: number;
  most: number;
}

const MINUTE = 60_000;

export const PACES = {
  /** A deployment in the line: a signal says when it is its turn. */
  turn: { least: 30_000, most: 15 * MINUTE },
  /** A repair whose agent lacks a secret: a signal says when one was set. */
  secret: { least: MINUTE, most: 360 * MINUTE },
  /** A repair whose agent is being deployed by somebody else. */
  busy: { least: 5_000, most: 15 * MINUTE },
  /** A run of the studio: deployments and challenges send no signal. */
  studio: { least: 2_000, most: 30_000 },
  /** A trial: a run that asks a user, or is late, sends no signal. */
  trial: { least: 10_000, most: 5 * MINUTE },
  /** A simulation: a run of the account that makes room by its end sends no signal. */
  simulation: { least: 10_000, most: 5 * MINUTE },
  /** A plan: nor do runs of the account that are no steps of it. */
  room: { least: 5_000, most: 5 * MINUTE },
  /** A purge whose account's runs were cancelled. */
  stopping: { least: 5_000, most: 5_000 },
} as const satisfies Record<string, Pace>;

const PART = 1 / 8;

/** Until the next look, after it has waited so long. */
export function pauseAfter(waitedMs: number, { least, most }: Pace): number {
  return Math.round(Math.min(most, Math.max(least, waitedMs * PART)));
}

/**
 * Events of a history after which a workflow continues as new where it can. The server itself suggests it at
 * 4,096, or at 4 MB.
 */
const LONG_HISTORY = 1_500;

/**
 * Workflows that are open since before would not replay, unless the server suggests it. The next life of a
 * cancelled one would not know of it.
 */
export function isLong(): boolean {
  if (CancellationScope.current().consideredCancelled) return false;
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || (historyLength >= LONG_HISTORY && patched('short-histories'));
}
