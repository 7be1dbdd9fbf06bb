// W3C Trace Context (https://www.w3.org/TR/trace-context/): where a call stands in the trace of its caller.

export interface TraceContext {
  /** 32 hexadecimal digits. */
  trace_id: string;
  /** 16 hexadecimal digits: the span of the caller. */
  span_id: string;
  /** The caller records its span; else there is none to hang on, and the trace's id alone counts. */
  sampled: boolean;
}

/** The header's name, and the name in `_meta` of MCP. */
export const TRACEPARENT = 'traceparent';
/** Beside it: what each system says of its own, and OpenTelemetry's SDKs hand on to every span below. */
export const TRACESTATE = 'tracestate';
/** What programs read that a shell or a build starts. */
export const TRACEPARENT_VARIABLE = 'TRACEPARENT';

/** Behind the first four fields a later version may say more. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_LENGTH = 512;

/** Which run the spans below belong to: in its trace there may be several of one agent. */
export function tracestateOf(runId: string): string {
  return `svc=${runId}`;
}

/** The run that a span says it belongs to. */
export function runIn(tracestate: string): string | undefined {
  return /(?:^|,)\s*svc=(run_[0-9a-f-]{36})\s*(?:,|$)/.exec(tracestate)?.[1];
}

/** Undefined for what is none: it is ignored, as the standard asks. */
export function readTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const [, version, trace_id = '', span_id = '', flags = '', more] = FORM.exec(value.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return undefined;
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceparent({ trace_id, span_id, sampled }: TraceContext): string {
  return `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;
}
