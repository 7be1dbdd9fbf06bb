// Fair shares of a worker's slots: of one account and one activity so many are executed at a time, some more
// wait in a slot for their turn, and what is beyond that gives its slot back and comes again. So no account
// holds the slots that another one's work needs.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { attempts, beat } from '#activities/attempts.ts';
import { interrupted } from '#activities/long-running.ts';

interface Limits {
  /** Executed at a time. */
  atOnce: number;
  /** Wait in a slot. */
  waiting: number;
  /** Longest wait in a slot: it counts in what the activity may take. */
  waitMs: number;
  /** Until what gave its slot back comes again. */
  againMs: number;
}

const usual: Limits = { atOnce: 20, waiting: 30, waitMs: 300_000, againMs: 30_000 };
/** Of what an activity may take; the rest is for its work. */
const PART_FOR_WAITING = 0.25;
const BEAT_EVERY_MS = 2_000;

interface Share {
  executing: number;
  waiting: Set<() => void>;
}

/** One for all workers of a process that share slots. */
export function fairShares(limits: Partial<Limits> = {}): ActivityInterceptorsFactory {
  const { atOnce, waiting, waitMs, againMs } = { ...usual, ...limits };
  const shares = new Map<string, Share>();

  /** Resolves with whether it is its turn. */
  async function turn(share: Share, withinMs: number): Promise<boolean> {
    if (share.executing < atOnce) {
      share.executing += 1;
      return true;
    }
    if (share.waiting.size >= waiting) return false;
    let begun = false;
    const over = Promise.withResolvers<void>();
    const begin = (): void => {
      begun = true;
      over.resolve();
    };
    share.waiting.add(begin);
    const late = setTimeout(over.resolve, withinMs);
    const beating = setInterval(beat, BEAT_EVERY_MS);
    try {
      await Promise.race([over.promise, Context.current().cancelled]);
      return begun;
    } catch (error) {
      if (begun) leave(share);
      throw interrupted(error);
    } finally {
      clearTimeout(late);
      clearInterval(beating);
      share.waiting.delete(begin);
    }
  }

  function leave(share: Share): void {
    const [next] = share.waiting;
    if (!next) return void (share.executing -= 1);
    share.waiting.delete(next);
    next();
  }

  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const key = `${info.priority?.fairnessKey ?? ''} ${info.activityType}`;
        const share = shares.get(key) ?? { executing: 0, waiting: new Set() };
        shares.set(key, share);
        try {
          if (!(await turn(share, Math.min(waitMs, info.startToCloseTimeoutMs * PART_FOR_WAITING)))) {
            attempts().waited += 1;
            beat();
            throw waits(againMs);
          }
          try {
            return await next(input);
          } finally {
            leave(share);
          }
        } finally {
          if (share.executing === 0 && share.waiting.size === 0) shares.delete(key);
        }
      },
    },
  });
}

/** No warning in the log: it happens in the order of things. */
function waits(againMs: number): ApplicationFailure {
  const message = 'Other work of this account is executed first';
  return ApplicationFailure.create({ message, type: 'WaitsForShare', nextRetryDelay: againMs, category: ApplicationFailureCategory.BENIGN });
}
