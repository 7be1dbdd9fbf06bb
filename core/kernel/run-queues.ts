// The share of a process's database connections that all running skills may use: the others are for users and
// for the platform itself.
import type { Knex } from 'knex';
import { connectionsOf } from '#db/pool.ts';
import { memoizeByKey } from './batch.ts';
import { FairQueue } from './fair-queue.ts';

export interface RunQueues {
  /** Transactions. */
  change: FairQueue;
  /** Reads of their credentials. */
  enter: FairQueue;
}

/**
 * Queued: as many requests of one run as an agent may send at a time. Refused before the agent's own time
 * limit for an answer (30 s).
 */
const limits = { maxQueuedPerRun: 256, maxQueuedPerTenant: 2_000, acquireTimeoutMs: 20_000 };
const shares = { change: 0.4, enter: 0.1 };

export const runQueues = memoizeByKey((pool: Knex): RunQueues => {
  const queue = (share: number): FairQueue => new FairQueue({ ...limits, maxConcurrent: Math.max(1, Math.floor(connectionsOf(pool) * share)) });
  return { change: queue(shares.change), enter: queue(shares.enter) };
});
