// Reads spans that an agent exports. The sender is hostile: everything is bounded while it is read, and what
// is too much is cut or left out.
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { SpanKind, SpanStatus } from '#contract/states.ts';
import type { SpanEvent } from '../port.ts';
import { ANY, EVENT, KEY_VALUE, KINDS, LIST, REQUEST, RESOURCE_SPANS, SCOPE_SPANS, SPAN, STATUS, STATUSES } from './fields.ts';

export interface ReadSpan {
  /** Hexadecimal, of the right length and not zero: else the span is left out. */
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  trace_state: string;
  name: string;
  kind: SpanKind;
  start_ns: bigint;
  end_ns: bigint;
  status: SpanStatus;
  message: string | null;
  attributes: Record<string, unknown>;
  events: SpanEvent[];
}

/** The bytes are no export of spans. */
export class BadExport extends Error {}

const MOST = { spans: 2_000, attributes: 128, events: 64, text: 4_096, name: 256, items: 64, depth: 4 } as const;

export interface ReadExport {
  spans: ReadSpan[];
  /** More than are taken of one request, or without ids. */
  leftOut: number;
}

/** @throws BadExport */
export function readExport(bytes: Uint8Array): ReadExport {
  const result: ReadExport = { spans: [], leftOut: 0 };
  try {
    fields(bytes, {
      [REQUEST.resourceSpans]: (resourceSpans) =>
        fields(asBytes(resourceSpans), {
          [RESOURCE_SPANS.scopeSpans]: (scopeSpans) => fields(asBytes(scopeSpans), { [SCOPE_SPANS.spans]: (span) => take(result, asBytes(span)) }),
        }),
    });
  } catch (error) {
    throw new BadExport('this is no ExportTraceServiceRequest of OTLP', { cause: error });
  }
  return result;
}

function take(found: ReadExport, bytes: Uint8Array): void {
  const span = found.spans.length < MOST.spans ? spanOf(bytes) : undefined;
  if (span) found.spans.push(span);
  else found.leftOut += 1;
}

function spanOf(bytes: Uint8Array): ReadSpan | undefined {
  let [trace_id, span_id, parent_id, trace_state, name]: [string?, string?, string?, string?, string?] = [];
  let [kind, start, end] = [0, 0n, 0n];
  let status: { code: number; message: string } = { code: 0, message: '' };
  const attributes: Record<string, unknown> = {};
  const events: SpanEvent[] = [];
  fields(bytes, {
    [SPAN.traceId]: (value) => (trace_id = idOf(asBytes(value), 16)),
    [SPAN.spanId]: (value) => (span_id = idOf(asBytes(value), 8)),
    [SPAN.parentSpanId]: (value) => (parent_id = idOf(asBytes(value), 8)),
    [SPAN.traceState]: (value) => (trace_state = textOf(asBytes(value), 512)),
    [SPAN.name]: (value) => (name = textOf(asBytes(value), MOST.name)),
    [SPAN.kind]: (value) => (kind = Number(value)),
    [SPAN.start]: (value) => (start = asNumber(value)),
    [SPAN.end]: (value) => (end = asNumber(value)),
    [SPAN.attributes]: (value) => putAttribute(attributes, asBytes(value)),
    [SPAN.events]: (value) => void (events.length < MOST.events && events.push(eventOf(asBytes(value)))),
    [SPAN.status]: (value) => (status = statusOf(asBytes(value))),
  });
  if (trace_id === undefined || span_id === undefined) return undefined;
  return {
    trace_id,
    span_id,
    parent_id: parent_id ?? null,
    trace_state: trace_state ?? '',
    name: name ?? '',
    kind: KINDS[kind] ?? 'internal',
    start_ns: start,
    end_ns: end,
    status: STATUSES[status.code] ?? 'unset',
    message: status.message === '' ? null : status.message,
    attributes,
    events,
  };
}

function eventOf(bytes: Uint8Array): SpanEvent {
  const event: SpanEvent = { name: '', at_ns: '0', attributes: {} };
  fields(bytes, {
    [EVENT.time]: (value) => (event.at_ns = String(asNumber(value))),
    [EVENT.name]: (value) => (event.name = textOf(asBytes(value), MOST.name)),
    [EVENT.attributes]: (value) => putAttribute(event.attributes, asBytes(value)),
  });
  return event;
}

function statusOf(bytes: Uint8Array): { code: number; message: string } {
  const status = { code: 0, message: '' };
  fields(bytes, {
    [STATUS.message]: (value) => (status.message = textOf(asBytes(value), MOST.text)),
    [STATUS.code]: (value) => (status.code = Number(value)),
  });
  return status;
}

function putAttribute(attributes: Record<string, unknown>, bytes: Uint8Array, depth = 0): void {
  let key = '';
  let value: unknown = null;
  fields(bytes, {
    [KEY_VALUE.key]: (text) => (key = textOf(asBytes(text), MOST.name)),
    [KEY_VALUE.value]: (any) => (value = anyOf(asBytes(any), depth)),
  });
  // Its own member, whatever its name is: `__proto__` is one.
  if (Object.hasOwn(attributes, key) || Object.keys(attributes).length < (depth === 0 ? MOST.attributes : MOST.items))
    Object.defineProperty(attributes, key, { value, enumerable: true, configurable: true, writable: true });
}

function anyOf(bytes: Uint8Array, depth: number): unknown {
  if (depth >= MOST.depth) return null;
  let attributeValue: unknown = null;
  fields(bytes, {
    [ANY.string]: (value) => (attributeValue = textOf(asBytes(value), MOST.text)),
    [ANY.bool]: (value) => (attributeValue = value !== 0n),
    [ANY.int]: (value) => (attributeValue = intOf(asNumber(value))),
    [ANY.double]: (value) => (attributeValue = doubleOf(asNumber(value))),
    [ANY.array]: (value) => {
      const list: unknown[] = [];
      fields(asBytes(value), { [LIST.values]: (one) => void (list.length < MOST.items && list.push(anyOf(asBytes(one), depth + 1))) });
      attributeValue = list;
    },
    [ANY.map]: (value) => {
      const map: Record<string, unknown> = {};
      fields(asBytes(value), { [LIST.values]: (one) => putAttribute(map, asBytes(one), depth + 1) });
      attributeValue = map;
    },
    [ANY.bytes]: (value) => (attributeValue = Buffer.from(asBytes(value).subarray(0, MOST.text)).toString('base64')),
  });
  return attributeValue;
}

type Value = Uint8Array | bigint;

/** Each requested field in turn; others are skipped. */
function fields(bytes: Uint8Array, on: Readonly<Record<number, (value: Value) => unknown>>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const take = on[field];
    if (!take) reader.skip(wire, field);
    else if (wire === WireType.LengthDelimited) take(reader.bytes());
    else if (wire === WireType.Varint) take(BigInt(reader.int64()));
    else if (wire === WireType.Bit64) take(BigInt(reader.fixed64()));
    else reader.skip(wire, field);
  }
}

function asBytes(value: Value): Uint8Array {
  if (typeof value === 'bigint') throw new TypeError('a number where bytes are due');
  return value;
}

function asNumber(value: Value): bigint {
  if (typeof value !== 'bigint') throw new TypeError('bytes where a number is due');
  return value;
}

function idOf(bytes: Uint8Array, length: number): string | undefined {
  return bytes.length === length && bytes.some((byte) => byte !== 0) ? Buffer.from(bytes).toString('hex') : undefined;
}

/** What is not UTF-8 becomes U+FFFD. */
function textOf(bytes: Uint8Array, most: number): string {
  return new TextDecoder().decode(bytes.subarray(0, most * 4)).slice(0, most);
}

/** As text where a number does not hold it. */
function intOf(value: bigint): number | string {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
}

const view = new DataView(new ArrayBuffer(8));
function doubleOf(bits: bigint): number | string {
  view.setBigUint64(0, bits);
  const value = view.getFloat64(0);
  return Number.isFinite(value) ? value : String(value);
}
