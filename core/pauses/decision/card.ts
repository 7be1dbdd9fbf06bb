// How a decision is shown to the person.
import type { z } from 'zod';
import type { QuestionAnsweredOut, ScopeDecidedOut } from '#contract/conversation/chat.ts';
import type { VOTED_STATES } from '#contract/states.ts';
import type { WaitsRow } from '#db/tables.ts';
import { approvalShown } from '../approval/show.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { resolutionOf, scopeRequestOf } from '../wait/model.ts';
import type { Resolved } from './decision.ts';
import { resolveWait } from './resolve.ts';

export async function answerQuestion(ctx: Ctx, i: { question_id: string; answer: unknown }): Promise<z.infer<typeof QuestionAnsweredOut>> {
  const { row } = await resolveWait(ctx, { waitId: i.question_id, kind: 'question', decision: { decision: 'answered', answer: i.answer } });
  return { question_id: row.wait_id, state: 'answered', ...waitSummary(row) };
}

export async function decideScope(
  ctx: Ctx,
  i: { approval_id: string; decision: 'approve' | 'deny'; reason: string; for?: string | undefined },
): Promise<z.infer<typeof ScopeDecidedOut>> {
  const decision = i.decision === 'approve' ? ({ decision: 'approved' } as const) : ({ decision: 'denied', reason: i.reason } as const);
  const { row, state } = await resolveWait(ctx, { waitId: i.approval_id, kind: 'scope_request', decision, for: i.for });
  const { reason, old, read, write_prefix, mode, ttl_seconds } = scopeRequestOf(row);
  return {
    approval_id: row.wait_id,
    state: decidedAs(state),
    ...(state === 'denied' && { denied_reason: resolutionOf(row).reason ?? '' }),
    ...waitSummary(row),
    reason,
    old,
    requested: { read, write_prefix, mode, ttl_seconds },
    ...(await approvalShown(ctx, row)),
  };
}

/** Of what is approved or denied. */
export function decidedAs(state: Resolved['state']): (typeof VOTED_STATES)[number] {
  return state === 'answered' ? 'approved' : state;
}

export function waitSummary(row: WaitsRow) {
  return { agent: row.agent_name ?? '', skill: row.skill ?? '', prompt: row.prompt, expires_at: row.expires_at.toISOString() };
}
