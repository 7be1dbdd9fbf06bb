// Long lists are gone through in slices, so that the event loop goes on between them: of all lists that need
// more than one, one at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';

const FIRST_MS = 2;
const SLICE_MS = 5;
let line: Promise<unknown> = Promise.resolve();

/** What is done with an item counts: `for await (const row of inTurns(rows)) …` */
export async function* inTurns<T>(items: readonly T[]): AsyncGenerator<T> {
  let until = performance.now() + FIRST_MS;
  for (const item of items) {
    yield item;
    if (performance.now() < until) continue;
    line = line.then(() => nextTurn());
    await line;
    until = performance.now() + SLICE_MS;
  }
}
