// How much of a process's connections to the database running skills may take, all together: the others are for people and for the platform itself.
import type { Knex } from 'knex';
import { connectionsOf } from '../db/pool.ts';
import { oneEach } from './gather.ts';
import { Turns } from './turns.ts';

export interface RunTurns {
  /** Transactions. */
  change: Turns;
  /** Their credentials, looked at at the door. */
  enter: Turns;
}

/** In line: as many of one run as an agent may work on at a time. Sent away: before the agent's own patience with an answer (30 s) is over. */
const limits = { waiting: 256, tenantWaiting: 2_000, patienceMs: 20_000 };
const shares = { change: 0.4, enter: 0.1 };

export const runTurns = oneEach((pool: Knex): RunTurns => {
  const turns = (share: number): Turns => new Turns({ ...limits, atOnce: Math.max(1, Math.floor(connectionsOf(pool) * share)) });
  return { change: turns(shares.change), enter: turns(shares.enter) };
});
