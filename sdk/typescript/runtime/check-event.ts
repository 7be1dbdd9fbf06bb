// What an author emits: an event of a kind of theirs, or of a known kind with its payload.
import { AgentEvent, EVENT_PAYLOADS, RESERVED_EVENT_KINDS, type EventKind } from '../../../contract/wire/events.ts';

export function checkEvent(event: AgentEvent): AgentEvent {
  const parsed = AgentEvent.safeParse(event);
  if (!parsed.success) throw new TypeError(`emitEvent: ${parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
  const { kind, payload } = parsed.data;
  if (!(kind in EVENT_PAYLOADS)) return parsed.data;
  const known = kind as EventKind; // the line above is the check
  if (RESERVED_EVENT_KINDS.includes(known)) throw new TypeError(`emitEvent: "${kind}" is written by the runtime only; choose a kind of your own`);
  const shaped = EVENT_PAYLOADS[known].safeParse(payload);
  if (!shaped.success)
    throw new TypeError(`emitEvent: payload of "${kind}": ${shaped.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')}`);
  return parsed.data;
}
