// Instants in cursors: PostgreSQL keeps microseconds, a JavaScript Date drops them, and a page that began at the rounded instant
// would repeat or skip what happened within it.

/** SQL: the instant as whole microseconds since the epoch. `column` is a name of ours, never input. */
export function microseconds(column: string): string {
  return `(extract(epoch from ${column}) * 1000000)::bigint`;
}

/** SQL: the instant of a binding in microseconds. In whole seconds and the rest, because one double could not hold it exactly. */
export function instantOf(binding: string): string {
  return `(timestamptz 'epoch' + (cast(:${binding} as bigint) / 1000000) * interval '1 second' + (cast(:${binding} as bigint) % 1000000) * interval '1 microsecond')`;
}
