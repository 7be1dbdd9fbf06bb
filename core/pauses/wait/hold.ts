// One wait with all that delivering its outcome needs, in one round trip: its run, and the instance of that
// run.
import type { Knex } from 'knex';
import type { InstancesRow, RunsRow, WaitsRow } from '#db/tables.ts';

export interface WaitWithRun {
  row: WaitsRow;
  /** Null for a question of a plan. */
  run: Pick<RunsRow, 'state' | 'kind'> | null;
  /** Who owns the agent that asks; null for a question of a plan, and once the agent is deleted. */
  author: string | null;
  /** Of the run's own deployment, at the start of the statement; null once it is gone. */
  instance: Pick<InstancesRow, 'instance_id' | 'api_key_sealed'> | null;
}

/** As it is at this moment; nothing is locked. */
export function lookAtWait(db: Knex, waitId: string): Promise<WaitWithRun | undefined> {
  return read(db, waitId, '', '');
}

/**
 * Locked to the end of the transaction. The run first, as everywhere: two verbs that lock in the same order
 * cannot deadlock.
 */
export function lockWait(tx: Knex.Transaction, waitId: string): Promise<WaitWithRun | undefined> {
  // The run's row comes out of a part of its own, which has been read before the wait's row is locked.
  return read(tx, waitId, 'for update', 'for update of w');
}

async function read(db: Knex, waitId: string, runLock: '' | 'for update', waitLock: '' | 'for update of w'): Promise<WaitWithRun | undefined> {
  const { rows } = await db
    .raw<{ rows: Read[] }>(
      `with run as materialized (
         select run_id, deploy_id, state, kind from runs where run_id = (select run_id from waits where wait_id = :waitId) ${runLock}
       )
       select w.*, run.state as run_state, run.kind as run_kind, i.instance_id, i.api_key_sealed, a.owner_id as author
       from waits w
       left join agents a on a.agent_id = w.agent_id
       left join run on run.run_id = w.run_id
       left join lateral (
         select instance_id, api_key_sealed from instances
         where deploy_id = run.deploy_id and state in ('serving', 'draining') order by created_at desc limit 1
       ) i on true
       where w.wait_id = :waitId ${waitLock}`,
      { waitId },
    )
    // Planned once for each connection: planning takes longer than reading.
    .options({ name: waitLock === '' ? 'look_at_wait' : 'hold_wait' });
  const [found] = rows;
  if (!found) return undefined;
  const { run_state, run_kind, instance_id, api_key_sealed, author, ...row } = found;
  return {
    row,
    author,
    run: run_state && run_kind && { state: run_state, kind: run_kind },
    instance: instance_id === null || api_key_sealed === null ? null : { instance_id, api_key_sealed },
  };
}

interface Read extends WaitsRow {
  run_state: RunsRow['state'] | null;
  run_kind: RunsRow['kind'] | null;
  author: string | null;
  instance_id: string | null;
  api_key_sealed: string | null;
}
