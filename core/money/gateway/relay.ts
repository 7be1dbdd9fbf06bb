// A streamed answer on its way to the caller: passed on event by event, counted meanwhile.
import type { ModelUsage } from '#drivers/llm/port.ts';
import { ModelError } from '#drivers/llm/port.ts';
import { type Body, isObject, type Metered } from './wire.ts';

/** Of one event. */
const MOST_EVENT_BYTES = 16 * 1024 * 1024;

/** What an answer said and used, as far as it came. */
export class Tally {
  usage: ModelUsage | undefined;
  /** Characters. */
  said = 0;
  readonly #metered: Metered;

  constructor(metered: Metered) {
    this.#metered = metered;
  }

  saw(piece: Body): void {
    this.usage = this.#metered.usage(piece, this.usage) ?? this.usage;
    this.said += this.#metered.said(piece);
  }
}

/** The bytes to pass on. @throws ModelError bad_answer: an event has no end */
export async function* relayEvents(
  answer: AsyncIterable<Buffer>,
  { tally, metered, asked }: { tally: Tally; metered: Metered; asked: Body },
): AsyncGenerator<Buffer> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of answer) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const whole: Buffer[] = [];
    for (let end = endOfEvent(pending); end > 0; end = endOfEvent(pending)) {
      const shown = passed(pending.subarray(0, end));
      if (shown) whole.push(shown);
      pending = pending.subarray(end);
    }
    if (pending.length > MOST_EVENT_BYTES) throw new ModelError('bad_answer', `One event of the answer is longer than ${MOST_EVENT_BYTES} bytes`);
    if (whole.length > 0) yield whole.length === 1 && whole[0] ? whole[0] : Buffer.concat(whole);
  }
  if (pending.length > 0) yield pending;

  function passed(event: Buffer): Buffer | undefined {
    const piece = dataOf(event);
    if (!piece) return event;
    tally.saw(piece);
    const shown = metered.shown ? metered.shown(piece, asked) : piece;
    return shown === piece ? event : shown && Buffer.from(`data: ${JSON.stringify(shown)}\n\n`);
  }
}

/** Behind the empty line that ends the first event; 0: it is not whole yet. */
function endOfEvent(bytes: Buffer): number {
  const [unix, windows] = [bytes.indexOf('\n\n'), bytes.indexOf('\r\n\r\n')];
  if (windows >= 0 && (unix < 0 || windows < unix)) return windows + 4;
  return unix < 0 ? 0 : unix + 2;
}

/** Undefined for what is no JSON object: comments, [DONE]. */
function dataOf(event: Buffer): Body | undefined {
  const lines = event
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'));
  return objectIn(lines.map((line) => line.slice(5)).join('\n'));
}

export function objectIn(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
