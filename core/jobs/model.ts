// A job is one piece of long work; its events are its only history.
import type { JobState } from '#contract/states.ts';

export type { JobState };
export const openStates: readonly JobState[] = ['queued', 'running', 'waiting'];

export function isTerminal(state: string): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

export interface JobEvent {
  job_id: string;
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  at: Date;
}
