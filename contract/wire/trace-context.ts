// W3C Trace Context (https://www.w3.org/TR/trace-context/): where a call stands in the trace of its caller.

export interface TraceContext {
  /** 32 hexadecimal digits. */
  trace_id: string;
  /** 16 hexadecimal digits: the span of the caller. */
  span_id: string;
  /** The caller records its span; else there is no parent span, and only the trace's id counts. */
  sampled: boolean;
  /** What other systems say of the trace, as tracestate; absent: nothing. */
  state?: string;
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
/** Of what is read: several headers of it, and more than is passed on. */
const MAX_STATE_LENGTH = 4_096;

const OURS = 'svc';
const MAX_MEMBERS = 32;
/** A key, `=`, a value without commas and equal signs (W3C Trace Context, 3.3.1). */
const MEMBER = /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/**
 * Which run the spans below belong to: in its trace there may be several of one agent. What other systems say
 * follows, as far as it fits.
 */
export function tracestateOf(runId: string, others?: string): string {
  const own = `${OURS}=${runId}`;
  const members = others?.split(',') ?? [];
  // The standard has entries go from the right.
  while (members.length > 0 && (members.length >= MAX_MEMBERS || own.length + 1 + members.join(',').length > MAX_LENGTH)) members.pop();
  return [own, ...members].join(',');
}

/** What other systems say, without what is no entry and without ours. Undefined: nothing. */
export function readTracestate(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_STATE_LENGTH) return undefined;
  const members = value.split(',').map((member) => member.trim());
  const others = members.filter((member) => MEMBER.test(member) && !member.startsWith(`${OURS}=`));
  // A key that comes twice makes all of it void.
  const keys = others.map((member) => member.slice(0, member.indexOf('=')));
  return others.length === 0 || new Set(keys).size < keys.length ? undefined : others.slice(0, MAX_MEMBERS).join(',');
}

/** The run that a span says it belongs to. */
export function runIn(tracestate: string): string | undefined {
  return /(?:^|,)\s*svc=(run_[0-9a-f-]{36})\s*(?:,|$)/.exec(tracestate)?.[1];
}

/** Undefined for what is none: it is ignored, as the standard asks. @param tracestate the value beside it */
export function readTraceparent(value: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  const [, version, trace_id = '', span_id = '', flags = '', more] = FORM.exec(value.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return undefined;
  const state = readTracestate(tracestate);
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1, ...(state !== undefined && { state }) };
}

export function writeTraceparent({ trace_id, span_id, sampled }: Omit<TraceContext, 'state'>): string {
  return `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;
}
