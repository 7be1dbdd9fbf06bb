// Promises that an author may drop.
/** A skill may end, or be stopped, without having awaited it: that is no failure of the process. */
export function heard<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}
