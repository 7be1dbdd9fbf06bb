// A streamed answer on its way to the caller, event by event. What the caller reads is what was counted: the events are written anew, not the bytes passed on,
// so that no reader finds in them what this one did not.
import { eventReader, EventTooLarge, type StreamedEvent } from '#contract/wire/event-stream.ts';
import { parseKeepingDigits } from '#contract/wire/exact-json.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';
import { ModelError } from '#drivers/llm/port.ts';
import { type Body, isObject, type Metered } from './wire.ts';

/** Of one event, in characters. */
const MOST_EVENT_LENGTH = 16 * 1024 * 1024;

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

interface Relaying {
  tally: Tally;
  metered: Metered;
  asked: Body;
  /** Without what the caller may not see. */
  bare(text: string): string;
}

/** The bytes to pass on. @throws ModelError bad_answer: an event has no end */
export async function* relayEvents(answer: AsyncIterable<Buffer>, { tally, metered, asked, bare }: Relaying): AsyncGenerator<Buffer> {
  let whole: string[] = [];
  const reader = eventReader({
    maxLength: MOST_EVENT_LENGTH,
    onEvent: (event) => {
      const data = shown(event.data);
      if (data !== undefined) whole.push(bare(written({ ...event, data })));
    },
    // Endpoints send them to keep the connection open.
    onComment: (comment) => void whole.push(bare(`: ${comment}\n\n`)),
  });
  try {
    for await (const chunk of answer) {
      reader.take(chunk);
      yield* passed();
    }
    reader.end();
    yield* passed();
  } catch (error) {
    throw error instanceof EventTooLarge ? new ModelError('bad_answer', `The answer cannot be read: ${error.message}`) : error;
  }

  function* passed(): Generator<Buffer> {
    if (whole.length === 0) return;
    const bytes = Buffer.from(whole.join(''));
    whole = [];
    yield bytes;
  }

  /** Undefined: the caller did not ask for it. */
  function shown(data: string): string | undefined {
    const piece = objectIn(data);
    if (!piece) return data;
    tally.saw(piece);
    const visible = metered.shown ? metered.shown(piece, asked) : piece;
    return visible === piece ? data : visible && JSON.stringify(visible);
  }
}

function written({ id, event, data }: StreamedEvent): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return `${head}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}

/** Undefined for what is no JSON object: comments, [DONE]. */
export function objectIn(text: string): Body | undefined {
  try {
    // It may be written anew: schemas have bounds of 64 bits.
    const value: unknown = parseKeepingDigits(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
