// Signals, updates and queries that workflows answer to, and what goes in and out of them.
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { Resolution } from '#activities/waits.ts';

/** To a queued deployment: the one before it is decided. */
export const turn = defineSignal('turn');

export interface DeployIn {
  deploy_id: string;
  /** From its turn until its machine is ready; absent: as long as build and start may take. */
  timeout_seconds?: number;
  /**
   * Milliseconds that a worker has to take a build or a start, and how often each is tried. Absent: a minute,
   * an hour in all.
   */
  placing?: { within_ms: number; most: number };
  /**
   * Of a workflow that continues another one: since when it waits for its turn, in milliseconds since the
   * epoch.
   */
  waits_since?: number;
}

export interface RetireIn {
  agent_id: string;
}

export interface WaitIn {
  wait_id: string;
  /** Milliseconds since the epoch. */
  expires_at: number;
  /** Several members of an organization decide, by votes that the API writes. */
  votes?: true;
}

export interface PurgeIn {
  job_id: string;
  /** Of a workflow that continues another one: so many accounts are gone. */
  done?: number;
}

export interface ReviewIn {
  review_id: string;
}

export interface ReviewLoopIn {
  job_id: string;
  /** Of the whole loop, or what is left of it. */
  deadline_ms: number;
}

export interface RepairIn {
  repair_id: string;
  /** It was repaired as often as its policy allows: only a person is asked. */
  over_limit: boolean;
  /** Of one deployment with its proof. */
  timeout_seconds: number;
}

/** To a repair that waits for one: a secret of its agent was set. */
export const secretSet = defineSignal('secretSet');

export interface RehearseIn {
  job_id: string;
}

export interface RunIn {
  run_id: string;
}

/** Of work whose steps are taken one after the other. */
export interface LongWorkIn {
  job_id: string;
  /** Milliseconds since the epoch. */
  deadline_at: number;
}

export interface ComplianceExportIn {
  export_id: string;
  /** Milliseconds since the epoch. */
  deadline_at: number;
}

export interface ComplianceRetentionIn {
  purge_id: string;
}

export interface ProofIn {
  proof_id: string;
}

export interface DagRunIn {
  dag_run_id: string;
}

export interface VerifyDomainIn {
  domain_id: string;
  /** Of the proof: once another began, this one has ended. Absent in older workflows. */
  round?: number;
  /**
   * Milliseconds: the first pause between two looks, the longest, and between those at a domain that is
   * proved.
   */
  times?: { first_ms?: number; last_ms?: number; day_ms?: number };
  /**
   * Of a workflow that continues another one: when a look counts as that of the day. Milliseconds since the
   * epoch.
   */
  daily_at?: number;
}

export interface RenewCertificateIn {
  domain_id: string;
}

/** To the workflows of a custom domain: look now. */
export const domainChanged = defineSignal('domainChanged');

/** To a run: a wait of its is over, so it may continue. */
export const woken = defineSignal('woken');

/** To whatever began a job: that job has ended. */
export const childEnded = defineSignal<[{ job_id: string; state: string }]>('childEnded');

/**
 * To a wait, from an older API: the decision of a user. Where its row has another outcome, that one stays.
 */
export const resolve = defineUpdate<{ accepted: true }, [Resolution]>('resolve');

/** To a wait: a person, or the votes of several, have decided it. The row has the outcome. */
export const voted = defineSignal('voted');

/** To a wait: the skill does not wait any more. */
export const withdraw = defineSignal('withdraw');

export interface ScheduledRunIn {
  schedule_id: string;
  /** Where it continues from: a history that has grown long. */
  firing?: { due_at: number; made_at: number };
}

/** The result of a night's retention, in jobs. */
export interface RetentionTotals {
  archived: number;
  removed: number;
  failed: number;
}

export interface SettlePayoutsIn {
  run_id: string;
  /** Of a workflow that continues another one: all that is due is taken. */
  taken?: boolean;
}

export interface ProvisionDatabaseIn {
  branch_id: string;
}

export interface DropDatabaseIn {
  project_id: string;
  /** null: all of the project, and the project. */
  branch_id: string | null;
}

export interface RotateDatabaseIn {
  /** The new one. */
  login_id: string;
}

export interface MailIn {
  mail_id: string;
  /** Of a workflow that continues another one. */
  wait_ms?: number;
}
