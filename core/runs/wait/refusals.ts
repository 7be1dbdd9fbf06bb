// Why a decision is not taken.
import type { WaitsRow } from '#db/tables.ts';
import { Conflict, Gone, NotFound } from '../../kernel/errors.ts';

export function notAsked(): NotFound {
  return new NotFound('wait_not_found', 'No pending request with this id is assigned to you');
}

function resolvedAlready({ state, resolved_at }: Pick<WaitsRow, 'state' | 'resolved_at'>): Conflict {
  return new Conflict('wait_resolved', `This request was ${state} already, and stays so`, { state, resolved_at: resolved_at?.toISOString() ?? null });
}

export function isOver(how: 'expired' | 'cancelled'): Gone {
  return new Gone('wait_over', how === 'expired' ? 'The time to answer has passed' : 'The skill no longer waits for an answer');
}

/** Of a wait that is not pending. */
export function closedBy(row: Pick<WaitsRow, 'state' | 'resolved_at'>): Conflict | Gone {
  return row.state === 'expired' || row.state === 'cancelled' ? isOver(row.state) : resolvedAlready(row);
}
