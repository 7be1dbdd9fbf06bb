// What a run waits for and only the platform decides: the client reads what its person has to do there, and
// comes back.
import { inputRequired } from '@modelcontextprotocol/server';
import { aboutAccess, aboutWait, type PlatformWait, type ScopeRequest } from '../called-waits.ts';
import type { PendingRequest } from '../pending.ts';

export interface Elsewhere {
  id: string;
  message: string;
}

export function accessOf(asked: ScopeRequest): Elsewhere {
  return { id: asked.request_id, message: aboutAccess(asked) };
}

export function waitOf(asked: PlatformWait): Elsewhere {
  return { id: asked.request_id, message: aboutWait(asked) };
}

/** Of what a run waits for: the part that is decided elsewhere. */
export function elsewhereIn(open: readonly PendingRequest[]): Elsewhere[] {
  // As requestScope() and CalledWaits made them.
  return open.flatMap(({ kind, payload }) =>
    kind === 'scope_request' ? [accessOf(payload as ScopeRequest)] : kind === 'platform_wait' ? [waitOf(payload as PlatformWait)] : [],
  );
}

/** There is nothing to fill in. */
export function elsewhereRequest({ message }: Elsewhere): ReturnType<typeof inputRequired.elicit> {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
}
