// Marks the requests that came in over the guest socket. Headers do not count.
import type { IncomingMessage } from 'node:http';

const guests = new WeakMap<IncomingMessage, string>();

/** Only the guest listener calls this. */
export function markGuest(request: IncomingMessage, instanceId: string): void {
  guests.set(request, instanceId);
}

/** The instance that sent the request; undefined for any other client. */
export function guestOf(request: IncomingMessage): string | undefined {
  return guests.get(request);
}
