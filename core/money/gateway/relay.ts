// A streamed answer on its way to the caller, event by event. What the caller reads is what was counted: the
// events are written anew, not the bytes passed on, so that no reader finds in them what this one did not.
import { eventReader, EventTooLarge, type StreamedEvent } from '#contract/wire/event-stream.ts';
import type { ModelUsage } from '#drivers/llm/port.ts';
import { ModelError } from '#drivers/llm/port.ts';
import { isLarge, type ReadEvent } from './large-answers.ts';
import { objectIn } from './object-in.ts';
import { SplitKey } from './split-key.ts';
import type { Body, Metered } from './wire.ts';

/** Of one event, in characters. */
const MOST_EVENT_LENGTH = 16 * 1024 * 1024;

/** What an answer said and used, as far as it came. */
export class UsageTally {
  usage: ModelUsage | undefined;
  /** Characters. */
  said = 0;
  readonly #metered: Metered;

  constructor(metered: Metered) {
    this.#metered = metered;
  }

  saw(piece: Body): void {
    this.counted({ usage: this.#metered.usage(piece, this.usage), said: this.#metered.said(piece) });
  }

  counted({ usage, said }: { usage: ModelUsage | undefined; said: number }): void {
    this.usage = usage ?? this.usage;
    this.said += said;
  }
}

interface Relaying {
  tally: UsageTally;
  metered: Metered;
  asked: Body;
  /** Without what the caller may not see. */
  bare(text: string): string;
  /** Hidden where it comes in pieces, too; null: there is none, or everybody knows it. */
  key: string | null;
  /** Reads an event that is large, off the event loop. */
  readLarge(data: string, before: ModelUsage | undefined): Promise<ReadEvent>;
}

/** The bytes to pass on. @throws ModelError bad_answer: an event has no end */
export async function* relayEvents(answer: AsyncIterable<Buffer>, { tally, metered, asked, bare, key, readLarge }: Relaying): AsyncGenerator<Buffer> {
  let whole: string[] = [];
  /** In their order; comments as they are written. */
  let taken: (StreamedEvent | string)[] = [];
  const split = key !== null && metered.stream ? new SplitKey(metered.stream, key, bare) : undefined;
  const reader = eventReader({
    maxLength: MOST_EVENT_LENGTH,
    onEvent: (event) => void taken.push(event),
    // Endpoints send them to keep the connection open.
    onComment: (comment) => void taken.push(`: ${comment}\n\n`),
  });
  try {
    for await (const chunk of answer) {
      reader.take(chunk);
      await read();
      yield* passed();
    }
    reader.end();
    await read();
    for (const one of split?.end() ?? []) whole.push(bare(written(one)));
    yield* passed();
  } catch (error) {
    throw error instanceof EventTooLarge ? new ModelError('bad_answer', `The answer cannot be read: ${error.message}`) : error;
  }

  async function read(): Promise<void> {
    const now = taken;
    taken = [];
    for (const one of now) {
      if (typeof one === 'string') whole.push(bare(one));
      else if (isLarge(one.data.length)) await readApart(one);
      else for (const event of shown(one)) whole.push(bare(written(event)));
    }
  }

  /** Its texts are not put together with those of others: these end before it. */
  async function readApart(event: StreamedEvent): Promise<void> {
    const { data, counted } = await readLarge(event.data, tally.usage);
    if (counted) tally.counted(counted);
    for (const one of split?.end() ?? []) whole.push(bare(written(one)));
    if (data !== undefined) whole.push(written({ id: event.id && bare(event.id), event: event.event && bare(event.event), data }));
  }

  function* passed(): Generator<Buffer> {
    if (whole.length === 0) return;
    const bytes = Buffer.from(whole.join(''));
    whole = [];
    yield bytes;
  }

  /** None where the caller did not ask for it, or where it waits. */
  function shown(event: StreamedEvent): StreamedEvent[] {
    const piece = objectIn(event.data);
    if (!piece) return event.data === '[DONE]' ? [...(split?.end() ?? []), event] : [event];
    tally.saw(piece);
    const visible = metered.shown ? metered.shown(piece, asked) : piece;
    if (!visible) return [];
    const one = visible === piece ? event : { ...event, data: JSON.stringify(visible) };
    return split ? split.take(one, visible) : [one];
  }
}

function written({ id, event, data }: StreamedEvent): string {
  const head = `${event === undefined ? '' : `event: ${event}\n`}${id === undefined ? '' : `id: ${id}\n`}`;
  return `${head}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}
