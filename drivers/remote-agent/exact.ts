// An answer of somebody else's agent is read by the packages of its protocol, which make 9007199254740992 of
// 9007199254740993: what would change is refused before.
import { eventReader } from '#contract/wire/event-stream.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { RemoteFault } from './port.ts';
import { parsed, record } from './text.ts';

/** Of one event, in characters. */
const MOST_EVENT_LENGTH = 16 * 1024 * 1024;

/** `send`, whose answers are checked. */
export function exactly(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    return withExactNumbers(response, new URL(input instanceof Request ? input.url : input).origin);
  };
}

/** The same answer, whose body breaks off with a RemoteFault at such a number. */
function withExactNumbers(response: Response, origin: string): Response {
  const type = response.headers.get('content-type') ?? '';
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const checked = /^text\/event-stream\b/i.test(type) ? events(origin) : /^application\/(?:[\w.+-]+\+)?json\b/i.test(type) ? document(origin) : undefined;
  return checked ? new Response(body.pipeThrough(checked), { status, statusText, headers }) : response;
}

function events(origin: string): TransformStream<Uint8Array, Uint8Array> {
  const reader = eventReader({ maxLength: MOST_EVENT_LENGTH, onEvent: ({ data }) => check(data, origin) });
  return new TransformStream({
    transform: (chunk, controller) => {
      reader.take(chunk);
      controller.enqueue(chunk);
    },
    flush: () => reader.end(),
  });
}

function document(origin: string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  return new TransformStream({
    transform: (chunk, controller) => {
      pieces.push(decoder.decode(chunk, { stream: true }));
      controller.enqueue(chunk);
    },
    flush: () => check(pieces.join('') + decoder.decode(), origin),
  });
}

function check(text: string, origin: string): void {
  try {
    parseExact(text);
  } catch (error) {
    // What is no JSON its reader refuses.
    if (error instanceof NumberOutOfRange && !describes(parsed(text)))
      throw new RemoteFault('remote_failed', `${origin} answered with a number that cannot be read: ${error.message}`);
  }
}

/** A list of tools, or a card: its schemas may have bounds of 64 bits, which are no data. */
function describes(message: unknown): boolean {
  const { result, skills } = record(message);
  return Array.isArray(skills) || Array.isArray(record(result)['tools']) || Array.isArray(record(result)['skills']);
}
