// How many runs of an account may be under way at once, where an operator limits it.
import type { Knex } from 'knex';
import { controlOf } from '../../accounts/control.ts';
import { Conflict } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { OPEN_RUN_STATES } from '../../kernel/run-state.ts';

/**
 * Null: there is room. Otherwise the limit. Locked until the transaction ends: of runs that start at once
 * each counts those before it.
 */
async function limitReached(tx: Knex.Transaction, userId: string): Promise<number | null> {
  const most = (await controlOf(tx, userId)).limits.concurrent_runs;
  if (most === null) return null;
  await lockName(tx, `open-runs/${userId}`);
  const open = await tx('runs').where({ user_id: userId }).whereIn('state', OPEN_RUN_STATES).whereNotNull('job_id').limit(most).select('run_id');
  return open.length >= most ? most : null;
}

/**
 * For work that waits until another run has ended: a run that starts in the same transaction finds the room
 * still there.
 */
export async function hasRoom(tx: Knex.Transaction, userId: string): Promise<boolean> {
  return (await limitReached(tx, userId)) === null;
}

/** @throws Conflict too_many_runs */
export async function requireRunRoom(tx: Knex.Transaction, userId: string): Promise<void> {
  const most = await limitReached(tx, userId);
  if (most !== null) throw new Conflict('too_many_runs', `An operator allows this account ${most} open runs: wait for some to end`);
}
