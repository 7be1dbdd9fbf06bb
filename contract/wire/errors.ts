// The body of every refusal an agent gives, over HTTP, in a stream's `failed` event and in CallResult errors.
import { z } from 'zod';
import { agentErrors } from '../errors/agent.ts';
import { namesOf } from '../errors/kit.ts';

/** Stable codes of the runtime; an agent's own codes (emitError) are free text and never appear here. */
export const AgentErrorCode = z.enum(namesOf(agentErrors));
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
