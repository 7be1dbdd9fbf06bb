// A caller who does not give up: what was lost on the way is sent again under the same name.
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';
import { ApiError } from '#contract/client.ts';

/** A refusal counts as the answer; trouble on the way, or in the house, does not. */
export async function until<T>(what: string, call: () => Promise<T>, forMs = 150_000): Promise<T> {
  for (const end = Date.now() + forMs; ;) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
      if (Date.now() > end) throw new Error(`${what}: not in ${forMs / 1000} s: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    await sleep(300);
  }
}

const Data = z.looseObject({ seq: z.int(), kind: z.string(), payload: z.record(z.string(), z.unknown()) });
export type Event = z.infer<typeof Data>;

export interface Followed {
  events: Event[];
  reconnects: number;
}

/** Follows an event stream to its last event over any number of broken connections. */
export async function follow(
  url: string,
  token: string,
  onEvent: (event: Event) => void,
  isLast: (event: Event) => boolean,
  forMs = 240_000,
): Promise<Followed> {
  const events: Event[] = [];
  let reconnects = -1;
  for (const end = Date.now() + forMs; ;) {
    reconnects += 1;
    try {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(events.length === 0 ? {} : { 'last-event-id': String(events.at(-1)?.seq) }),
      };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(Math.max(1, end - Date.now())) });
      if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
      const messages = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { id, data } of messages) {
        const event = Data.parse(JSON.parse(data));
        if (id !== String(event.seq)) throw new Error(`event ${event.seq} came with the id ${id}`);
        events.push(event);
        onEvent(event);
      }
      if (events.some(isLast)) return { events, reconnects };
    } catch (error) {
      if (Date.now() > end)
        throw new Error(`a stream had not ended after ${forMs / 1000} s; last event ${JSON.stringify(events.at(-1))}: ${String(error)}`, { cause: error });
    }
    await sleep(200);
  }
}
