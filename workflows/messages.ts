// Signals, updates and queries that workflows answer to, and what goes in and out of them.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Resolution } from '#activities/waits.ts';

/** To a queued deployment: the one before it is decided. */
export const turn = defineSignal('turn');

export interface DeployIn {
  deploy_id: string;
}

export interface RetireIn {
  agent_id: string;
}

export interface WaitIn {
  wait_id: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
}

export interface PurgeIn {
  job_id: string;
}

export interface RunIn {
  run_id: string;
}

export interface DagRunIn {
  dag_run_id: string;
}

/** To a run: a wait of its is over, so it may continue. */
export const woken = defineSignal('woken');

/** To whatever began a job: that job has ended. */
export const childEnded = defineSignal<[{ job_id: string; state: string }]>('childEnded');

/** To a wait: what a person decided. Refused as `Resolved` when somebody has decided, as `Over` when nobody waits any more. */
export const resolve = defineUpdate<{ accepted: true }, [Resolution]>('resolve');

/** To a wait: the skill does not wait any more. */
export const withdraw = defineSignal('withdraw');

export interface ScheduledRunIn {
  schedule_id: string;
  /** Where it continues from: a history that has grown long. */
  firing?: { due_at: number; made_at: number };
}

/** What a night's retention came to, in jobs. */
export interface RetentionTotals {
  archived: number;
  removed: number;
  failed: number;
}

export interface MailIn {
  mail_id: string;
  /** Of a workflow that goes on from another one. */
  wait_ms?: number;
}
