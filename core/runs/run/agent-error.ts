// The error an agent reports for a call, bounded. Its author wrote it for the caller; every surface shows it
// in the same words.
import type { Fault } from '../../kernel/errors.ts';
import { z } from 'zod';
import type { AgentErrorIssue } from '#contract/wire/errors.ts';
import { storableText } from '../../kernel/storable.ts';

const MAX_MESSAGE = 2_000;
const MAX_ISSUES = 50;
const MAX_PATH = 32;
const MAX_NAME = 200;

const text = (max: number) => z.string().transform((value) => storableText(value.slice(0, max)));
const Issue = z.object({
  path: z.array(z.union([text(MAX_NAME), z.number()])).transform((path) => path.slice(0, MAX_PATH)),
  code: text(64),
  message: text(MAX_MESSAGE),
});
const Body = z.object({
  detail: z.object({ code: z.string().regex(/^[a-z][a-z0-9_]{0,127}$/), message: text(MAX_MESSAGE), issues: z.unknown().optional() }),
});

/** Of an error body `{ detail: { code, message, issues } }`; undefined when it is none. */
export function agentErrorOf(body: unknown): Fault | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return undefined;
  const { code, message, issues } = parsed.data.detail;
  const read = issuesOf(issues);
  return { code, message, ...(read.length > 0 && { issues: read }) };
}

function issuesOf(issues: unknown): AgentErrorIssue[] {
  if (!Array.isArray(issues)) return [];
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const parsed = Issue.safeParse(issue);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Refusals of the agent's own that its caller can mend: its words, and its status, are theirs to see. */
export type RefusalStatus = 400 | 403 | 404 | 409 | 413 | 422;
const refusals: readonly number[] = [400, 403, 404, 409, 413, 422] satisfies RefusalStatus[];

export function isRefusal(status: number): status is RefusalStatus {
  return refusals.includes(status);
}

/** How a call failed whose agent answered with that status and said nothing of its own. */
export function failureCode(status: number): 'skill_timeout' | 'agent_busy' | 'agent_error' {
  return status === 504 ? 'skill_timeout' : status === 503 ? 'agent_busy' : 'agent_error';
}
