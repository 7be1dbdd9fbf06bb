// What a client takes for an answer, by its Accept header. The protocol wants both forms named; scripts and
// people name one, any, or none.

/** `json`: one answer and nothing before it. */
export type Reads = 'json' | 'events' | 'both';

/** As the protocol has its clients say it. */
export const BOTH = 'application/json, text/event-stream';

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
const EVENT_TYPES: ReadonlySet<string> = new Set(['text/event-stream', 'text/*']);

/** Undefined: neither. What takes anything takes the simplest. */
export function readsOf(accept: string | undefined): Reads | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const types = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((one) => /^q=0(?:\.0*)?$/.test(one)) ? [] : [type];
  });
  const events = types.some((type) => EVENT_TYPES.has(type));
  if (types.some((type) => JSON_TYPES.has(type))) return events ? 'both' : 'json';
  return events ? 'events' : undefined;
}
