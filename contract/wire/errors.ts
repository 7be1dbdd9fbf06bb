// The body of every refusal an agent gives, over HTTP, in a stream's `failed` event and in CallResult errors.
import { z } from 'zod';

/** Stable codes of the runtime; an agent's own codes (emitError) are free text and never appear here. */
export const AgentErrorCode = z.enum([
  'skill_input_error',
  'skill_output_error',
  'skill_not_found',
  'skill_invocation_error',
  'skill_timeout',
  'secret_missing',
  'missing_scopes',
  'auth_error',
  'grant_invalid',
  'scope_denied',
  'scope_expansion_not_allowed',
  'cancelled_by_caller',
  'sandbox_unavailable',
  'not_available',
  'agent_busy',
  'agent_not_ready',
  'body_too_large',
  'bad_request',
  'unsupported_media_type',
  'not_found',
  'method_not_allowed',
  'question_expired',
  'nobody_to_ask',
  'call_failed',
  'workspace_denied',
  'file_not_found',
  'events_gone',
  'run_gone',
]);
export type AgentErrorCode = z.infer<typeof AgentErrorCode>;

export const AgentErrorIssue = z.object({
  /** Where in the input: member names and list positions. */
  path: z.array(z.union([z.string(), z.number()])),
  code: z.string(),
  message: z.string(),
});
export type AgentErrorIssue = z.infer<typeof AgentErrorIssue>;

export const AgentErrorDetail = z.object({
  code: AgentErrorCode,
  message: z.string(),
  request_id: z.string(),
  issues: z.array(AgentErrorIssue).optional(),
  missing_scopes: z.array(z.string()).optional(),
  retry_after_seconds: z.number().optional(),
});
export type AgentErrorDetail = z.infer<typeof AgentErrorDetail>;

export const AgentErrorBody = z.object({ detail: AgentErrorDetail }).meta({ id: 'AgentErrorBody' });
export type AgentErrorBody = z.infer<typeof AgentErrorBody>;
