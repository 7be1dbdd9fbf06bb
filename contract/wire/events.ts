// Events of a running skill. On an SSE stream: `id` = a number that grows by one, `event` = kind, `data` =
// {"kind","payload"} as JSON. Exactly one terminal event ends a run: `result` or `failed`. The platform may
// add one `receipt` after it.
import { z } from 'zod';
import { WorkspaceMode } from './card.ts';
import { AgentErrorDetail } from './errors.ts';
import { Timestamp } from './names.ts';

/** Seconds of silence after which a stream carries a comment line. */
export const SSE_HEARTBEAT_SECONDS = 15;
export const QUESTION_TIMEOUT_SECONDS = 180;
export const SCOPE_REPLY_TIMEOUT_SECONDS = 60;

export const ArtifactRef = z
  .object({ name: z.string().min(1), uri: z.string().min(1), mime_type: z.string().min(1), size_bytes: z.int().min(0) })
  .meta({ id: 'ArtifactRef' });
export type ArtifactRef = z.infer<typeof ArtifactRef>;

export const StatusPayload = z.object({
  state: z.enum(['queued', 'running', 'waiting']),
  run_id: z.string(),
  skill: z.string(),
});
export const ProgressPayload = z.object({
  message: z.string(),
  progress: z.number().optional(),
  total: z.number().optional(),
});
export type ProgressPayload = z.infer<typeof ProgressPayload>;
export const TextDeltaPayload = z.object({ text: z.string() });
/** Work with a tool, for display: started and finished share `call_id`. */
export const ToolPayload = z.object({
  call_id: z.string(),
  name: z.string(),
  phase: z.enum(['started', 'finished', 'failed']),
  summary: z.string().optional(),
});
export const QuestionPayload = z.object({
  question_id: z.string(),
  /**
   * What the agent calls the answer, for clients that file inputs by name; unique among the open questions of
   * its run.
   */
  name: z.string().optional(),
  prompt: z.string(),
  expires_at: Timestamp,
  /** JSON Schema of the answer: then it is a form. */
  schema: z.record(z.string(), z.unknown()).optional(),
});
export const ScopeRequestPayload = z.object({
  request_id: z.string(),
  grant_id: z.string().nullable(),
  reason: z.string(),
  read: z.array(z.string()),
  write_prefix: z.string().nullable(),
  ttl_seconds: z.int().positive(),
  mode: WorkspaceMode,
  expires_at: Timestamp,
});
/** What an agent that another one called asks the person for whom both work, as the platform keeps it. */
export const CalledWait = z.object({
  wait_id: z.string().max(64),
  agent: z.string().max(2_048),
  skill: z.string().max(256),
  prompt: z.string(),
  expires_at: Timestamp,
});
export type CalledWait = z.infer<typeof CalledWait>;
/** Of one call. */
export const MAX_CALLED_WAITS = 20;
/**
 * An agent that this one called asks a person. It is answered at the platform: the event goes through this
 * agent, what the platform shows does not.
 */
export const PlatformWaitPayload = CalledWait.extend({ request_id: z.string() });
/** Reported by the skill (emitError); the run continues. */
export const ErrorPayload = z.object({ message: z.string(), code: z.string().nullable() });
export const ResultPayload = z.object({ result: z.unknown() });
/** The run ended without a result. `status` is what a plain HTTP call would have answered with. */
export const FailedPayload = z.object({ status: z.int(), detail: AgentErrorDetail });
export const ReceiptPayload = z.object({ receipt_id: z.string(), token: z.string() });

/** The kinds the platform knows. An agent may emit kinds of its own; see CustomEventKind. */
export const EVENT_PAYLOADS = {
  status: StatusPayload,
  progress: ProgressPayload,
  text_delta: TextDeltaPayload,
  tool: ToolPayload,
  artifact: ArtifactRef,
  question: QuestionPayload,
  scope_request: ScopeRequestPayload,
  platform_wait: PlatformWaitPayload,
  error: ErrorPayload,
  result: ResultPayload,
  failed: FailedPayload,
  receipt: ReceiptPayload,
} as const;
export type EventKind = keyof typeof EVENT_PAYLOADS;

/**
 * Kinds only the runtime or the platform may write: an agent that could would fake its own outcome or a
 * person's question.
 */
export const RESERVED_EVENT_KINDS: readonly EventKind[] = ['status', 'question', 'scope_request', 'platform_wait', 'result', 'failed', 'receipt'];
export const TERMINAL_EVENT_KINDS: readonly EventKind[] = ['result', 'failed'];

export const EventKindName = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'use lower-case letters, digits, "_", "." and "-", starting with a letter (64 at most)');

export const AgentEvent = z.object({ kind: EventKindName, payload: z.record(z.string(), z.unknown()).default({}) }).meta({ id: 'AgentEvent' });
export type AgentEvent = z.infer<typeof AgentEvent>;

/**
 * In the schema of an approval's form: SHA-256, hexadecimal, of the arguments' text as the prompt shows it.
 * It stands in the wait and in the receipt.
 */
export const ARGUMENTS_SHA256 = 'x-svc-arguments-sha256';
