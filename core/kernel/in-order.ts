// Every row of a large set, a page at a time, in the order of an id.

/** @param page rows whose id comes after the one given (first: the empty string), in order; none: the end */
export async function* inOrder<T>(idOf: (row: T) => string, page: (after: string) => PromiseLike<readonly T[]>): AsyncGenerator<T> {
  for (let after = ''; ;) {
    const rows = await page(after);
    const last = rows.at(-1);
    if (!last) return;
    yield* rows;
    after = idOf(last);
  }
}
