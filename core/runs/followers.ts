// What other areas do when a call has ended.
import type { Ctx } from '../kernel/ctx.ts';
import type { CallFacts } from './run/facts.ts';
import type { Outcome } from './run/outcome.ts';

interface RunFollower {
  readonly name: string;
  /** A call that nothing else records has its receipt. The caller does not wait for what this does. */
  answered(ctx: Ctx, call: CallFacts & { args?: () => unknown }, outcome: Outcome): void;
}

declare module '../kernel/followers.ts' {
  interface Followers {
    runs: readonly RunFollower[];
  }
}
