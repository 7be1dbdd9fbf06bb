// The events of a job as they came: each once, in order, none missing.
import type { Output } from '../../../api/client.ts';
import type { StreamEvent } from '../../../api/stream.ts';

export type JobEvent = Output<'workLedger', 'events'>['items'][number];

export class EventLog {
  readonly events: JobEvent[] = [];
  readonly kinds = new Map<string, number>();
  #last = 0;

  /** Sequence number of the newest. */
  get last(): number {
    return this.#last;
  }

  /**
   * Those of a stream; what came before, in an earlier connection, is left out. @returns those that are new
   */
  add(batch: readonly StreamEvent[]): JobEvent[] {
    const added: JobEvent[] = [];
    for (const { data } of batch) {
      const event = asEvent(data);
      if (event.seq <= this.#last) continue;
      this.#last = event.seq;
      this.events.push(event);
      this.kinds.set(event.kind, (this.kinds.get(event.kind) ?? 0) + 1);
      added.push(event);
    }
    return added;
  }
}

// Safe: the stream's contract, to which the API keeps.
function asEvent(data: unknown): JobEvent {
  return data as JobEvent;
}
