/**
 * What is used here of a query of knex, whose own types of what a query answers cannot be named for any
 * table.
 */
interface Rows<T> {
  clone(): {
    limit(most: number): PromiseLike<T[]>;
    clearSelect(): { clearOrder(): { count(of: { n: string }): PromiseLike<unknown> } };
  };
}

/** The first rows of a query, and how many more it has: counted only where there may be some. */
export async function upTo<T>(most: number, query: Rows<T>): Promise<{ rows: T[]; more: number }> {
  const rows = await query.clone().limit(most);
  if (rows.length < most) return { rows, more: 0 };
  return { rows, more: countIn(await query.clone().clearSelect().clearOrder().count({ n: '*' })) - most };
}

// Safe: count() answers one row, with the one column that was named.
function countIn(found: unknown): number {
  return Number((found as [{ n: string }])[0].n);
}
