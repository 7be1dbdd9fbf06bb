// The one reader of event streams (text/event-stream): the gateway, the tool, the SDK and the dashboard read
// with it. eventsource-parser, by the authors of the `eventsource` package, is the reference of the grammar
// and buffers in linear time. It gives an event that ends with a lone CR only when more comes, and counts one
// piece at a time against its bound: so line ends reach it as LF, and an event's length is checked here.
import { createParser } from 'eventsource-parser';

export interface StreamedEvent {
  id: string | undefined;
  /** Undefined: a message. */
  event: string | undefined;
  data: string;
}

/**
 * Of a stream. For each the parser makes an error with its trace: a megabyte of them would hold a process for
 * seconds.
 */
const MOST_STRANGE_LINES = 1_000;

export class EventTooLarge extends Error {
  /** Else it is the stream around events. */
  readonly isOneEvent: boolean;
  constructor(message: string, isOneEvent: boolean) {
    super(message);
    this.isOneEvent = isOneEvent;
  }
}

interface EventReader {
  /** @throws EventTooLarge */
  take(chunk: Uint8Array): void;
  /**
   * After the last chunk of a stream that is not asked for again: its last event counts without its empty
   * line, too. @throws EventTooLarge
   */
  end(): void;
}

interface EventReaderOptions {
  /** Of one event, in characters. */
  maxLength: number;
  onEvent(event: StreamedEvent): void;
  onComment?: (comment: string) => void;
}

export function eventReader({ maxLength, onEvent, onComment }: EventReaderOptions): EventReader {
  const tooLarge = (): EventTooLarge => new EventTooLarge(`an event has more than ${maxLength} characters`, true);
  const decoder = new TextDecoder();
  let afterReturn = false;
  let failed: EventTooLarge | undefined;
  let strangeLines = 0;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: ({ id, event, data }) => {
      if (data.length > maxLength) throw tooLarge();
      onEvent({ id, event, data });
    },
    ...(onComment && { onComment }),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') failed = tooLarge();
      strangeLines += 1;
      if (strangeLines > MOST_STRANGE_LINES) throw (failed = new EventTooLarge(`more than ${MOST_STRANGE_LINES} lines belong to no event`, false));
    },
  });

  function feed(text: string): void {
    if (failed) throw failed;
    if (text === '') return;
    // The second half of a CRLF that was cut in two.
    const whole = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
    afterReturn = text.endsWith('\r');
    parser.feed(whole.replaceAll(/\r\n?/g, '\n'));
    if (failed) throw failed;
  }

  return {
    take: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}

export interface ReadOptions {
  /** Of one event, in characters. */
  maxLength: number;
  /** The stream is asked for again from its last whole event: what was cut off is dropped. */
  resumes?: boolean;
}

/**
 * Of a stream whose events are JSON. An event without data is a heartbeat of somebody on the way, and is left
 * out, as is the last one where the stream was cut inside of it: that the stream has ended too early is for
 * its reader to say, who knows which event must come. Leaving the iteration ends the stream.
 * @throws EventTooLarge
 */
export async function* readEvents(body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<StreamedEvent> {
  let events: StreamedEvent[] = [];
  const reader = eventReader({ maxLength: options.maxLength, onEvent: (event) => void (event.data !== '' && events.push(event)) });
  for await (const chunk of chunksOf(body)) {
    reader.take(chunk);
    yield* events;
    events = [];
  }
  if (options.resumes === true) return;
  reader.end();
  yield* events.filter(({ data }) => isWhole(data));
}

function isWhole(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

/** Not every browser iterates a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (!('getReader' in body)) return yield* body;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
