// The numbers of OTLP's fields that are read and written here (opentelemetry-proto 1.x: trace/v1, common/v1,
// collector/trace/v1). By hand over the wire format of @bufbuild/protobuf, which the A2A SDK brings anyway:
// what is read is hostile, and generated code would build all of it before anything is bounded.

export const REQUEST = { resourceSpans: 1 } as const;
export const RESOURCE_SPANS = { resource: 1, scopeSpans: 2 } as const;
export const RESOURCE = { attributes: 1 } as const;
export const SCOPE_SPANS = { scope: 1, spans: 2 } as const;
export const SCOPE = { name: 1 } as const;
export const SPAN = {
  traceId: 1,
  spanId: 2,
  traceState: 3,
  parentSpanId: 4,
  name: 5,
  kind: 6,
  start: 7,
  end: 8,
  attributes: 9,
  events: 11,
  status: 15,
  flags: 16,
} as const;
export const EVENT = { time: 1, name: 2, attributes: 3 } as const;
export const STATUS = { message: 2, code: 3 } as const;
export const KEY_VALUE = { key: 1, value: 2 } as const;
export const ANY = { string: 1, bool: 2, int: 3, double: 4, array: 5, map: 6, bytes: 7 } as const;
export const LIST = { values: 1 } as const;
export const RESPONSE = { partialSuccess: 1 } as const;
export const PARTIAL = { rejected: 1, message: 2 } as const;

/** By their numbers on the wire. */
export const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
export const STATUSES = ['unset', 'ok', 'error'] as const;
/** Of flags: whether the parent is of another process is known, and it is. */
export const PARENT_IS_REMOTE = 0x300;
