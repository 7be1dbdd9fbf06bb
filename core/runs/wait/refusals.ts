// Why a decision is not taken.
import type { WaitsRow } from '#db/tables.ts';
import { Conflict, Gone, NotFound } from '../../kernel/errors.ts';

export function notAsked(): NotFound {
  return new NotFound('wait_not_found', 'No pending request with this id is assigned to you');
}

export function resolvedAlready(): Conflict {
  return new Conflict('wait_resolved', 'This request was resolved already');
}

export function isOver(how: 'expired' | 'cancelled'): Gone {
  return new Gone('wait_over', how === 'expired' ? 'The time to answer has passed' : 'The skill no longer waits for an answer');
}

/** Of a wait that is not pending. */
export function closedBy({ state }: Pick<WaitsRow, 'state'>): Conflict | Gone {
  return state === 'expired' || state === 'cancelled' ? isOver(state) : resolvedAlready();
}
