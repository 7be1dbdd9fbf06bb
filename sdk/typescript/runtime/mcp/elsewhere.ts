// What a run waits for and only the platform decides: the client reads what its person has to do there, and comes back.
import { inputRequired } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { ScopeRequestPayload } from '../../../../contract/wire/events.ts';
import { aboutWait, type PlatformWait } from '../called-waits.ts';
import type { PendingRequest } from '../pending.ts';

type ScopeRequest = z.infer<typeof ScopeRequestPayload>;

export interface Elsewhere {
  id: string;
  message: string;
}

export function accessOf({ reason, read, write_prefix, mode, request_id: id }: ScopeRequest): Elsewhere {
  const what = [...read.map((pattern) => `read ${pattern}`), ...(write_prefix === null ? [] : [`write below ${write_prefix}`])].join(', ') || mode;
  return {
    id,
    message: `The agent asks for wider access to the workspace (${what}): ${reason}. Approve or deny request ${id} at the platform, then continue.`,
  };
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
