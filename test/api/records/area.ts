// What one area gives to the generic suites: records of one person, and what a valid call says where the
// schema alone cannot.
import type { Ctx } from '#core/kernel/ctx.ts';
import type { TestAgent } from '../../support/verbs.ts';

/** Whose records, and their agent with a live deployment. */
export interface Owner {
  /** As the person themselves. */
  ctx: Ctx;
  userId: string;
  agent: TestAgent;
  deployId: string;
}

export interface ValidCall {
  /** JSON, or a form. */
  body?: object;
  query?: Record<string, string>;
  /** Undefined: left out, though the route reads it. */
  headers?: Record<string, string | undefined>;
}

export interface AreaRecords {
  /**
   * By the name of the path parameter, or by `<route>.<parameter>` where a route means another: one that it
   * uses up.
   */
  params: Record<string, string>;
  /** By route. */
  calls?: Record<string, ValidCall>;
}
