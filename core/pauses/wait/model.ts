// A wait: a skill pauses until a user has decided, or until its time is up.
import type { z } from 'zod';
import type { FileMatch } from '#contract/run/run-context.ts';
import type { WaitKind, WaitState } from '#contract/states.ts';
import { ARGUMENTS_SHA256 } from '#contract/wire/events.ts';
import type { WaitsRow } from '#db/tables.ts';

export type { WaitKind, WaitState };

/** A user's decision. Held by the wait's row, which takes one. */
export interface Resolution {
  decision: 'answered' | 'approved' | 'denied';
  /** With answered: a text, or a form's values. */
  answer?: unknown;
  /** With denied. */
  reason?: string;
  /** user_id */
  by: string;
  /** Of the request that decided: sent again it is the same decision. */
  request_id: string;
}

/** At the deadline of a rule of approval, without enough votes. */
interface DeniedByRule {
  decision: 'denied';
  reason: string;
  by: null;
  request_id: string;
}

export type WaitOutcome = Resolution | DeniedByRule | { decision: 'expired' } | { decision: 'cancelled' };

/**
 * Of a scope request: the present grant and the requested one. Shown to the user, and issued when they
 * approve.
 */
export interface ScopeRequest {
  bucket: string;
  /** The grant to be superseded. */
  grant_id: string | null;
  old: { allow_patterns: string[]; mode: string; outputs_prefix: string | null } | null;
  read: string[];
  write_prefix: string | null;
  mode: 'read_only' | 'read_write_overlay';
  ttl_seconds: number;
  deny_patterns: string[];
  reason: string;
  /** Picked or named files, for the person to see. */
  files: z.infer<typeof FileMatch>[];
  /** It asks for nothing but that the run may write under the grant that it has: no other grant is made. */
  of_writes?: true;
}

/** Of a handoff: who is to be called, with what. */
export interface HandoffRequest {
  agent: string;
  skill: string;
  /** Of the canonical arguments: what was approved is what is called. */
  input_sha256: string;
  /** The arguments as JSON, whole. */
  preview: string;
  /** Of the grant that goes with the call. */
  grant_id: string | null;
  /** The agent is not the user's own. */
  foreign: boolean;
}

/** Of a question: the JSON Schema of its form, if it is one. */
export interface QuestionRequest {
  schema?: Record<string, unknown>;
}

/** Of the arguments that a person approves or refuses; null: it is not about a call. */
export function argumentsSha256({ kind, request }: Pick<WaitsRow, 'kind' | 'request'>): string | null {
  // Safe: waits are written with an object as their request.
  const { schema, input_sha256 } = request as Partial<QuestionRequest & HandoffRequest>;
  const hash = kind === 'handoff_approval' ? input_sha256 : schema?.[ARGUMENTS_SHA256];
  return typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) ? hash : null;
}

export interface StoredResolution {
  answer?: unknown;
  reason?: string;
  grant_id?: string;
  request_id?: string;
  /** What the person decided, where something else had to be written. */
  decision?: 'approved';
}

const PREFIX = 'wait:';

export function workflowOf(waitId: string): string {
  return PREFIX + waitId;
}

/** The wait of such a workflow. */
export function waitIn(workflowId: string): string {
  return workflowId.slice(PREFIX.length);
}

// Safe: the column has one writer, write-outcome.ts, which writes this shape.
export function resolutionOf(row: Pick<WaitsRow, 'resolution'>): StoredResolution {
  return (row.resolution ?? {}) as StoredResolution;
}

// Safe: written by open.ts with this shape for this kind.
export function questionOf(row: Pick<WaitsRow, 'request'>): QuestionRequest {
  return row.request as QuestionRequest;
}

// Safe: written by open.ts with this shape for this kind.
export function scopeRequestOf(row: Pick<WaitsRow, 'request'>): ScopeRequest {
  return row.request as ScopeRequest;
}
