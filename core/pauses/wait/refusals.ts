// Why a decision is not taken.
import type { WaitsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, Gone, NotFound } from '../../kernel/errors.ts';
import { deciderOf } from './decider.ts';

export function waitNotFound(): NotFound {
  return new NotFound('wait_not_found', 'No pending request with this id is assigned to you');
}

export function waitOver(how: 'expired' | 'cancelled'): Gone {
  return new Gone('wait_over', how === 'expired' ? 'The time to answer has passed' : 'The skill no longer waits for an answer', { state: how });
}

/** Of a wait that is not pending. */
export async function closedBy(ctx: Pick<Ctx, 'db' | 'actor'>, row: Pick<WaitsRow, 'state' | 'resolved_at' | 'resolved_by'>): Promise<Conflict | Gone> {
  const { state, resolved_at } = row;
  if (state === 'expired' || state === 'cancelled') return waitOver(state);
  const resolved_by = await deciderOf(ctx, row);
  const who = resolved_by === null ? 'A rule' : resolved_by.you ? 'You' : resolved_by.email;
  const when = resolved_at === null ? '' : ` at ${resolved_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new Conflict('wait_resolved', `${who} ${state} this request${when}, and it stays so`, {
    state,
    resolved_at: resolved_at?.toISOString() ?? null,
    resolved_by,
  });
}
