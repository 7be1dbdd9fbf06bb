// What other areas do when a run asks a person.
import type { RunActor, TxCtx } from '../../kernel/ctx.ts';
import type { ChainedRun } from './call-chain.ts';

interface WaitFollower {
  readonly name: string;
  /**
   * In the transaction that opens a wait, with its chain of calls locked. Resolves with the id of the job
   * that the wait belongs to.
   */
  opening(ctx: TxCtx, run: RunActor, chain: readonly ChainedRun[]): Promise<string | null>;
}

declare module '../../kernel/followers.ts' {
  interface Followers {
    waits: readonly WaitFollower[];
  }
}

export async function jobOfWait(ctx: TxCtx, run: RunActor, chain: readonly ChainedRun[]): Promise<string | null> {
  let jobId: string | null = null;
  for (const { opening } of ctx.followers.waits) jobId = (await opening(ctx, run, chain)) ?? jobId;
  return jobId;
}
