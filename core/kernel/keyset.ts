// Instants in cursors: PostgreSQL keeps microseconds, a JavaScript Date drops them, and a page that began at
// the rounded instant would repeat or skip what happened within it.
import type { Knex } from 'knex';
import { decodeCursor, type Page, toPage } from './page.ts';

/** SQL: the instant as whole microseconds since the epoch. `column` is a name of ours, never input. */
export function microseconds(column: string): string {
  return `(extract(epoch from ${column}) * 1000000)::bigint`;
}

/**
 * SQL: the instant of a binding in microseconds. In whole seconds and the rest, because one double could not
 * hold it exactly.
 */
export function instantOf(binding: string): string {
  return `(timestamptz 'epoch' + (cast(:${binding} as bigint) / 1000000) * interval '1 second' + (cast(:${binding} as bigint) % 1000000) * interval '1 microsecond')`;
}

/**
 * Orders rows by an instant and an id, the newest first, begins behind the cursor, and takes one more than
 * the page has. The columns' names are ours, never input.
 */
export function newestFirst(query: Knex.QueryBuilder, [at, id]: readonly [at: string, id: string], i: { limit: number; cursor?: string | undefined }): void {
  void query
    .orderBy([
      { column: at, order: 'desc' },
      { column: id, order: 'desc' },
    ])
    .limit(i.limit + 1);
  if (i.cursor === undefined) return;
  const [after, afterId] = decodeCursor(i.cursor, ['number', 'string']);
  void query.whereRaw(`(${at}, ${id}) < (${instantOf('after')}, :afterId)`, { after, afterId });
}

/**
 * A page of rows, the newest first. `query` names what it selects. The columns' names are ours, never input.
 */
export async function newestPage<R extends object, T>(
  query: PromiseLike<readonly R[]>,
  [at, id]: readonly [at: string, id: string],
  i: { limit: number; cursor?: string | undefined },
  present: (row: R) => T,
): Promise<Page<T>> {
  const builder = builderOf(query);
  newestFirst(builder, [at, id], i);
  void builder.select(builder.client.raw(`${microseconds(at)} as cursor_at`), `${id} as cursor_id`);
  // Safe: both were selected just now.
  const rows = (await query) as readonly (R & { cursor_at: number; cursor_id: string })[];
  return toPage(rows, i.limit, present, ({ cursor_at, cursor_id }) => [cursor_at, cursor_id]);
}

// Safe: only queries are handed in. Their types are compared by what they resolve with only: comparing whole
// builders goes deeper than the compiler follows, and its answer changes with the order of files.
function builderOf(query: PromiseLike<unknown>): Knex.QueryBuilder {
  return query as unknown as Knex.QueryBuilder;
}
