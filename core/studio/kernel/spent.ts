import type { Knex } from 'knex';
import type { KernelRunsRow } from '#db/tables.ts';
import { spentOn } from '../../runs/run/spent.ts';
import { callsIn } from './row.ts';

/** What its agents cost so far, micro-dollars; a replay costs nothing. */
export async function spentMicros(db: Knex, row: Pick<KernelRunsRow, 'calls' | 'replay_of'>): Promise<number> {
  const runs = row.replay_of === null ? callsIn(row).flatMap(({ run_id }) => run_id ?? []) : [];
  return (await spentOn(db, runs)).micros;
}
