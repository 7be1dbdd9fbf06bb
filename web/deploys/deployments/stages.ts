// The stages that a deployment goes through, as they happened.
import type { DeploymentState } from '#contract/states.ts';

const STAGES = ['queued', 'building', 'starting', 'verifying', 'live'] as const;
type Stage = (typeof STAGES)[number];

const UNDER_WAY = new Set<string>(['queued', 'building', 'starting', 'verifying']);
export const isUnderWay = (state: string): boolean => UNDER_WAY.has(state);

export const STAGE_WORDS: Record<Stage, string> = {
  queued: 'Queued',
  building: 'Build',
  starting: 'Start',
  verifying: 'Check',
  live: 'Live',
};

export interface StageLine {
  stage: Stage;
  state: 'done' | 'now' | 'failed' | 'cancelled' | 'not yet';
  /** Milliseconds; undefined: it was not reached, or is under way. */
  took: number | undefined;
}

/** @param begun when each stage began, by its events; milliseconds */
export function stageLines(state: DeploymentState, createdAt: number, begun: ReadonlyMap<string, number>): StageLine[] {
  const times = new Map<string, number>([['queued', createdAt], ...begun]);
  const ended = begun.get('failed') ?? begun.get('cancelled');
  const reached = STAGES.filter((stage) => times.has(stage));
  const last = reached.at(-1) ?? 'queued';
  return STAGES.map((stage) => {
    const began = times.get(stage);
    const next = STAGES.slice(STAGES.indexOf(stage) + 1).find((later) => times.has(later));
    const end = next === undefined ? (stage === last ? ended : undefined) : times.get(next);
    return { stage, state: stateOf(stage), took: stage === 'live' || began === undefined || end === undefined ? undefined : Math.max(0, end - began) };
  });

  function stateOf(stage: Stage): StageLine['state'] {
    if (state === 'live' || state === 'superseded') return 'done';
    if (!times.has(stage)) return 'not yet';
    if (stage !== last) return 'done';
    return state === 'failed' || state === 'cancelled' ? state : 'now';
  }
}
