// The trace of a request to an agent's own address: its header is read, and gives way to the one of the run
// that it becomes.
import { readTraceparent, TRACEPARENT, TRACESTATE, type TraceContext } from '#contract/wire/trace-context.ts';

export interface TracedHeaders {
  /** Undefined: the caller sent none, or junk, or several. */
  trace: TraceContext | undefined;
  /** Name and value in turn, without it, and without what belongs to it (tracestate). */
  headers: string[];
}

export function takeTraceparent(headers: readonly string[]): TracedHeaders {
  const rest: string[] = [];
  const sent: string[] = [];
  const states: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]];
    if (name.toLowerCase() === TRACEPARENT) sent.push(value);
    else if (name.toLowerCase() === TRACESTATE) states.push(value);
    else rest.push(name, value);
  }
  return { trace: sent.length === 1 ? readTraceparent(sent[0], states.join(',')) : undefined, headers: rest };
}
