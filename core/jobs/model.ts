// A job is one piece of long work; its events are its only history.
export type JobState = 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
export const openStates: readonly JobState[] = ['queued', 'running', 'waiting'];

export function isTerminal(state: string): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

export interface JobError {
  /** Stable, snake_case. */
  code: string;
  message: string;
  /** Of arguments or a result that do not fit: each place. */
  issues?: { path: (string | number)[]; message: string; code?: string }[];
}

export interface JobEvent {
  job_id: string;
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
  at: Date;
}
