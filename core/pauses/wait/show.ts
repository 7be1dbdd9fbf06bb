// A wait as it is shown to the user who decides it.
import type { z } from 'zod';
import type { RecipientOut } from '#contract/runs/runs.ts';
import type { WaitCard } from '#contract/pauses/cards.ts';
import type { WaitsRow } from '#db/tables.ts';
import { presentOpenWait } from './present-open.ts';
import { type HandoffRequest, questionOf } from './model.ts';

export type Card = z.infer<typeof WaitCard>;

/** @param recipient as the reader sees it (shown-recipients.ts) */
export function presentWaitCard(row: WaitsRow, recipient?: RecipientOut): Card {
  const shown = presentOpenWait(row, recipient);
  const agent = row.agent_name ?? '';
  const { called_by: by } = row;
  const who = by.length === 0 ? agent : `${agent}, called by ${by.join(' and then ')},`;
  const hidden = recipient?.you === false;
  const choices = hidden ? undefined : shown.kind === 'question' || shown.kind === 'input_request' ? words(questionOf(row).schema) : ['approve', 'deny'];
  return { ...shown, run_id: row.run_id, agent, skill: row.skill ?? '', title: titleOf(row, who), ...(choices && { choices }) };
}

function titleOf(row: WaitsRow, agent: string): string {
  switch (row.kind) {
    case 'question':
      return `${agent} asks`;
    case 'input_request':
      return `${agent} needs some details`;
    case 'scope_request':
      return `${agent} asks for access to your files`;
    default: {
      const callee = calleeOf(row);
      return row.run_id === null ? `May ${callee} be called?` : `${agent} wants to call ${callee}`;
    }
  }
}

/** As far as its request still has it: a cleared request names no agent. */
function calleeOf({ request, agent_name, skill }: WaitsRow): string {
  const handoff = (request ?? {}) as Partial<HandoffRequest>;
  const callee = handoff.agent ?? agent_name;
  const called = handoff.skill ?? skill;
  return callee ? `${callee}${called ? `.${called}` : ''}` : 'another agent';
}

// Safe: written by core/pauses/handoff and core/conversation/plan with this shape for this kind.
export function handoffOf(row: Pick<WaitsRow, 'request'>): HandoffRequest {
  return row.request as HandoffRequest;
}

/** Of a schema that leaves a choice between words. */
function words(schema: Record<string, unknown> | undefined): string[] | undefined {
  const list = schema?.['enum'];
  return Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === 'string') ? list : undefined;
}
