// What other areas do when a thread is deleted.
import type { TxCtx } from '../kernel/ctx.ts';

interface ThreadFollower {
  readonly name: string;
  /** In the transaction that deletes it. Resolves with how many of its jobs were cancelled. */
  deleted(ctx: TxCtx, thread: { thread_id: string; owner_id: string }): Promise<number>;
}

declare module '../kernel/followers.ts' {
  interface Followers {
    threads: readonly ThreadFollower[];
  }
}
