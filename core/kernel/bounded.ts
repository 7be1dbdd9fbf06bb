// Work on what others wrote, ended after a time although it never yields: a pattern or a schema can be made to take for ever.
import { createContext, Script } from 'node:vm';

const room: { work: () => void } = { work: () => undefined };
const context = createContext(room);
// The engine ends a script at its time limit, whatever function it is in.
const script = new Script('work()');

/** The result of synchronous `work`; undefined: it took longer than `ms`, and was ended where it was. */
export function within<T>(ms: number, work: () => T): { value: T } | undefined {
  let done: { value: T } | undefined;
  const before = room.work;
  room.work = () => void (done = { value: work() });
  try {
    script.runInContext(context, { timeout: ms });
    return done;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    room.work = before;
  }
}

export const LIMIT_MS = 250;

/** `within` for work that comes in pieces: all together have the time of one, since many that are each a little slow would hold the process all the same. */
export function sharedGuard(): <T>(work: () => T) => { value: T } | undefined {
  let left = LIMIT_MS;
  return (work) => {
    if (left <= 0) return undefined;
    const began = performance.now();
    const done = within(left, work);
    left = done ? Math.ceil(left - (performance.now() - began)) : 0;
    return done;
  };
}

/** What took longer is not tried again for so long: one try for each call would hold the process all the same. */
const LEFT_ALONE_MS = 600_000;
const MAX_SLOW = 1_000;

/** `within` for work that comes again under the same key. Undefined: it took too long, now or a while ago. */
export function createGuard(): <T>(key: string, work: () => T) => { value: T } | undefined {
  const slow = new Map<string, number>();
  return (key, work) => {
    if ((slow.get(key) ?? 0) > Date.now()) return undefined;
    const done = within(LIMIT_MS, work);
    if (done) return done;
    if (slow.size >= MAX_SLOW) slow.clear();
    slow.set(key, Date.now() + LEFT_ALONE_MS);
    return undefined;
  };
}

/** Of the other context's making, so it is no Error of ours. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
