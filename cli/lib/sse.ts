// Server-sent events of a response, their data parsed.
import { parseExact } from '#contract/wire/exact-json.ts';
import { EventTooLarge, readEvents as read, type ReadOptions } from '#contract/wire/event-stream.ts';
import { CliError } from './errors.ts';

export interface SseEvent {
  id: string | undefined;
  event: string;
  /** Parsed from JSON. */
  data: unknown;
}

/** Of one event: a result may be as long as an answer. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** @throws CliError when the stream carries something else than JSON, or an event without an end */
export async function* readEvents(response: Response, options: Pick<ReadOptions, 'resumes'> = {}): AsyncGenerator<SseEvent> {
  if (!response.body) return;
  try {
    for await (const { id, event, data } of read(response.body, { maxLength: MOST_CHARACTERS, ...options }))
      yield { id, event: event ?? 'message', data: parse(data) };
  } catch (error) {
    throw error instanceof EventTooLarge ? new CliError(`The stream cannot be read: ${error.message}.`) : error;
  }
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function parse(data: string): unknown {
  try {
    return parseExact(data);
  } catch {
    throw new CliError('The stream carried something that is not JSON.');
  }
}
