// The event stream of a run at its agent, read as it comes: what one chunk brought is one batch. The agent is
// not believed: its numbers, kinds, sizes and silence are checked.
import type { Readable } from 'node:stream';
import { parseExact } from '#contract/wire/exact-json.ts';
import { MAX_EVENT_LENGTH } from '#contract/wire/limits.ts';
import { eventReader, EventTooLarge } from '#contract/wire/event-stream.ts';
import { answerTooLarge } from '../run/too-large.ts';
import type { AgentRunEvent } from './record.ts';

const KEEPS_NOT = 'The agent does not keep to the event protocol';
const KIND = /^[a-z][a-z0-9_.-]{0,63}$/;

/** The agent does not keep to the protocol: reading on cannot help. */
export class BadStream extends Error {
  readonly code: 'bad_stream' | 'answer_too_large';
  constructor(message: string, code: BadStream['code'] = 'bad_stream') {
    super(message);
    this.code = code;
  }
}

/** Batches of events after `after`. Ends with the stream, rejects when it breaks. @throws BadStream */
export async function* readRunStream(body: Readable, after: number): AsyncGenerator<AgentRunEvent[]> {
  let batch: AgentRunEvent[] = [];
  let last = after;
  let bad: BadStream | undefined;
  const reader = eventReader({
    maxLength: MAX_EVENT_LENGTH,
    onEvent: ({ event, data, id }) => {
      const seq = Number(id);
      if (seq <= last) return;
      if (Buffer.byteLength(data) > MAX_EVENT_LENGTH) return void (bad ??= new BadStream(answerTooLarge(), 'answer_too_large'));
      const payload = payloadOf(data);
      if (seq !== last + 1 || event === undefined || !KIND.test(event) || !payload) {
        bad ??= new BadStream(`${KEEPS_NOT}: event ${String(id).slice(0, 32)} of the agent is not one that may follow ${last}`);
        return;
      }
      last = seq;
      batch.push({ seq, kind: event, payload, size: data.length });
    },
  });
  for await (const chunk of body) {
    try {
      reader.take(chunk);
    } catch (error) {
      if (!(error instanceof EventTooLarge)) throw error;
      bad ??= error.isOneEvent ? new BadStream(answerTooLarge(), 'answer_too_large') : new BadStream(`${KEEPS_NOT}: ${error.message}`);
    }
    if (batch.length > 0) {
      yield batch;
      batch = [];
    }
    if (bad) throw bad;
  }
}

function payloadOf(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseExact(data);
    const payload = typeof value === 'object' && value !== null && 'payload' in value ? value.payload : undefined;
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? { ...payload } : undefined;
  } catch {
    return undefined;
  }
}
