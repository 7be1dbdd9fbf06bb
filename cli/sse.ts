// Server-sent events of a response.
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { CliError } from './errors.ts';

export interface SseEvent {
  id: string | undefined;
  event: string;
  /** Parsed from JSON. */
  data: unknown;
}

export async function* readEvents(response: Response): AsyncGenerator<SseEvent> {
  if (!response.body) return;
  const stream = response.body.pipeThrough(utf8()).pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of stream) yield { id, event: event ?? 'message', data: parse(data) };
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

// Safe: Node types a decoder's input as any buffer source; a response's bytes are one.
function utf8(): ReadableWritablePair<string, Uint8Array<ArrayBuffer>> {
  return new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new CliError('The stream carried something that is not JSON.');
  }
}
