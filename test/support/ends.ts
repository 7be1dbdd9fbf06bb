// Work that somebody could make endless. What is given to it is so large that time in the square of its
// length would be hours; that it ends is the proof.
import { Script } from 'node:vm';

const call = new Script('work()');

/**
 * What `work` returns; cut off, also in the middle of a regular expression, after a time that is far beyond
 * what it needs on any machine.
 */
export function ends<T>(work: () => T): T {
  let result: { value: T } | undefined;
  call.runInNewContext({ work: () => void (result = { value: work() }) }, { timeout: 120_000 });
  if (!result) throw new Error('It did not run');
  return result.value;
}
