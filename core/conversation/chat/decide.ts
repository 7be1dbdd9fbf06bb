// What a person decides beside questions and scope requests: forms and handoffs.
import type { z } from 'zod';
import type { HandoffDecidedOut, InputGivenOut } from '#contract/conversation/chat.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { resolveWait } from '../../pauses/decision/resolve.ts';
import { handoffOf } from '../../pauses/wait/show.ts';
import { approvalShown } from '../../pauses/approval/show.ts';
import { waitSummary, decidedAs } from '../../pauses/decision/card.ts';

export async function giveInput(ctx: Ctx, i: { request_id: string; values: unknown }): Promise<z.infer<typeof InputGivenOut>> {
  const { row } = await resolveWait(ctx, { waitId: i.request_id, kind: 'input_request', decision: { decision: 'answered', answer: i.values } });
  return { request_id: row.wait_id, state: 'answered', ...waitSummary(row) };
}

export async function decideHandoff(
  ctx: Ctx,
  i: { approval_id: string; decision: 'approve' | 'deny'; reason: string; for?: string | undefined },
): Promise<z.infer<typeof HandoffDecidedOut>> {
  const decision = i.decision === 'approve' ? ({ decision: 'approved' } as const) : ({ decision: 'denied', reason: i.reason } as const);
  const { row, state } = await resolveWait(ctx, { waitId: i.approval_id, kind: 'handoff_approval', decision, for: i.for });
  const { agent, skill, input_sha256, preview, grant_id } = handoffOf(row);
  const shown = { callee: { agent, skill }, input_sha256, preview, grant_id, ...(await approvalShown(ctx, row)) };
  return { approval_id: row.wait_id, state: decidedAs(state), ...waitSummary(row), ...shown };
}
