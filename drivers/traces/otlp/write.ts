// Writes spans as collectors read them: an ExportTraceServiceRequest of OTLP.
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { StoredSpan } from '../port.ts';
import { ANY, EVENT, KEY_VALUE, KINDS, LIST, PARENT_IS_REMOTE, PARTIAL, REQUEST, RESOURCE, RESOURCE_SPANS, RESPONSE, SCOPE, SCOPE_SPANS, SPAN, STATUS, STATUSES } from './fields.ts'; // prettier-ignore

export type ExportedSpan = Omit<StoredSpan, 'run_id' | 'owner_id'> & {
  /** The parent is a span of the caller of the platform. */
  remoteParent?: boolean;
  trace_state?: string;
};

export interface ExportedResource {
  attributes: Record<string, unknown>;
  scope: string;
  spans: readonly ExportedSpan[];
}

export function writeExport(resources: readonly ExportedResource[]): Uint8Array {
  const out = new BinaryWriter();
  for (const resource of resources) message(out, REQUEST.resourceSpans, (one) => writeResource(one, resource));
  return out.finish();
}

/** An ExportTraceServiceResponse. */
export function writeAnswer(rejected: number, why: string): Uint8Array {
  const out = new BinaryWriter();
  if (rejected > 0)
    message(out, RESPONSE.partialSuccess, (partial) => {
      partial.tag(PARTIAL.rejected, WireType.Varint).int64(rejected);
      partial.tag(PARTIAL.message, WireType.LengthDelimited).string(why);
    });
  return out.finish();
}

function writeResource(out: BinaryWriter, { attributes, scope, spans }: ExportedResource): void {
  message(out, RESOURCE_SPANS.resource, (resource) => writeAttributes(resource, RESOURCE.attributes, attributes));
  message(out, RESOURCE_SPANS.scopeSpans, (scoped) => {
    message(scoped, SCOPE_SPANS.scope, (named) => text(named, SCOPE.name, scope));
    for (const span of spans) message(scoped, SCOPE_SPANS.spans, (one) => writeSpan(one, span));
  });
}

function writeSpan(out: BinaryWriter, span: ExportedSpan): void {
  out.tag(SPAN.traceId, WireType.LengthDelimited).bytes(Buffer.from(span.trace_id, 'hex'));
  out.tag(SPAN.spanId, WireType.LengthDelimited).bytes(Buffer.from(span.span_id, 'hex'));
  if (span.parent_id !== null) out.tag(SPAN.parentSpanId, WireType.LengthDelimited).bytes(Buffer.from(span.parent_id, 'hex'));
  if (span.trace_state !== undefined) text(out, SPAN.traceState, span.trace_state);
  text(out, SPAN.name, span.name);
  // 0 and 1 are both internal here: the first is "unspecified".
  out.tag(SPAN.kind, WireType.Varint).int32(KINDS.lastIndexOf(span.kind));
  out.tag(SPAN.start, WireType.Bit64).fixed64(span.start_ns);
  out.tag(SPAN.end, WireType.Bit64).fixed64(span.end_ns);
  writeAttributes(out, SPAN.attributes, span.attributes);
  for (const { name, at_ns, attributes } of span.events)
    message(out, SPAN.events, (event) => {
      event.tag(EVENT.time, WireType.Bit64).fixed64(at_ns);
      text(event, EVENT.name, name);
      writeAttributes(event, EVENT.attributes, attributes);
    });
  message(out, SPAN.status, (status) => {
    if (span.message !== null) text(status, STATUS.message, span.message);
    status.tag(STATUS.code, WireType.Varint).int32(STATUSES.indexOf(span.status));
  });
  if (span.remoteParent) out.tag(SPAN.flags, WireType.Bit32).fixed32(PARENT_IS_REMOTE | 1);
}

function writeAttributes(out: BinaryWriter, field: number, attributes: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(attributes))
    message(out, field, (pair) => {
      text(pair, KEY_VALUE.key, key);
      message(pair, KEY_VALUE.value, (any) => writeAny(any, value));
    });
}

function writeAny(out: BinaryWriter, value: unknown): void {
  if (typeof value === 'string') text(out, ANY.string, value);
  else if (typeof value === 'boolean') out.tag(ANY.bool, WireType.Varint).bool(value);
  else if (typeof value === 'number' && Number.isSafeInteger(value)) out.tag(ANY.int, WireType.Varint).int64(value);
  else if (typeof value === 'number') out.tag(ANY.double, WireType.Bit64).double(value);
  else if (Array.isArray(value)) message(out, ANY.array, (list) => value.forEach((one) => message(list, LIST.values, (any) => writeAny(any, one))));
  else if (typeof value === 'object' && value !== null) message(out, ANY.map, (map) => writeAttributes(map, LIST.values, { ...value }));
}

function text(out: BinaryWriter, field: number, value: string): void {
  out.tag(field, WireType.LengthDelimited).string(value);
}

function message(out: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  out.tag(field, WireType.LengthDelimited).fork();
  write(out);
  out.join();
}
