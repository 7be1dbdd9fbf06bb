// What the attempts at an activity were. Temporal counts all of them; only those in which the work itself
// failed count against it. The counts travel in the heartbeat's details, which the server keeps from one
// attempt to the next.
import { Context } from '@temporalio/activity';

export interface Attempts {
  /** The work failed. */
  failed: number;
  /** It only waited for its account's share of the workers. */
  waited: number;
}

const known = new WeakMap<Context, Attempts>();

/** Of the activity that is executed. */
export function attempts(): Attempts {
  const context = Context.current();
  const counts = known.get(context) ?? read(context.info.heartbeatDetails);
  known.set(context, counts);
  return counts;
}

/** A heartbeat; the only one that activities send, since each replaces the details of the one before. */
export function beat(): void {
  Context.current().heartbeat(attempts());
}

function read(details: unknown): Attempts {
  const count = (name: keyof Attempts): number => {
    const value: unknown = typeof details === 'object' && details !== null ? Reflect.get(details, name) : undefined;
    return typeof value === 'number' ? value : 0;
  };
  return { failed: count('failed'), waited: count('waited') };
}
