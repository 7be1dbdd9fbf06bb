// Which requests come from inside a machine: those that came in by the guests' own door, whatever a header says.
import type { IncomingMessage } from 'node:http';

const guests = new WeakMap<IncomingMessage, string>();

/** To be called by the guests' door alone. */
export function markGuest(request: IncomingMessage, instanceId: string): void {
  guests.set(request, instanceId);
}

/** The instance it comes from; undefined for everybody else. */
export function guestOf(request: IncomingMessage): string | undefined {
  return guests.get(request);
}
