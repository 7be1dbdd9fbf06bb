// A connection names no run: it is of the run that is open in its machine, where that is one.
import type { Knex } from 'knex';
import type { RunsRow } from '#db/tables.ts';
import type { RunActor } from '../../kernel/ctx.ts';

type Stored = Pick<
  RunsRow,
  'run_id' | 'agent_id' | 'agent_name' | 'deploy_id' | 'skill' | 'user_id' | 'caller_kind' | 'caller_id' | 'parent_run_id' | 'root_run_id' | 'chain' | 'job_id'
> & { owner_id: string };

const COLUMNS = `r.run_id, r.agent_id, r.agent_name, r.deploy_id, r.skill, r.user_id, r.caller_kind, r.caller_id, r.parent_run_id, r.root_run_id, r.chain, r.job_id, a.owner_id`;

/** Undefined: none is open, or several are. */
export async function onlyRunIn(db: Knex, { deploy_id }: { deploy_id: string }): Promise<RunActor | undefined> {
  // Safe: only open-calls.ts writes the call, with its run.
  const { rows } = await db.raw<{ rows: { stored: Stored | null; called: RunActor | null }[] }>(
    `select row_to_json(t) as stored, null as called from (
       select ${COLUMNS} from runs r join agents a using (agent_id) where r.deploy_id = :deploy_id and r.state in ('running', 'waiting') limit 2
     ) t
     union all
     select null, c.call->'run' from open_calls c
     where c.call->'route'->>'deployId' = :deploy_id and c.receipt_id is null and not exists (select 1 from runs r where r.run_id = c.call->'run'->>'run_id')
     limit 2`,
    { deploy_id },
  );
  const [one, ...more] = rows;
  if (!one || more.length > 0) return undefined;
  return one.stored ? actorOf(one.stored) : (one.called ?? undefined);
}

/** Undefined: there is no such run. */
export async function runById(db: Knex, runId: string): Promise<RunActor | undefined> {
  const { rows } = await db.raw<{ rows: Stored[] }>(`select ${COLUMNS} from runs r join agents a using (agent_id) where r.run_id = ?`, [runId]);
  const [row] = rows;
  return row && actorOf(row);
}

function actorOf({ caller_kind, caller_id, root_run_id, ...run }: Stored): RunActor {
  return { kind: 'run', ...run, caller: { kind: caller_kind, id: caller_id }, root_run_id: root_run_id ?? run.run_id, thread_id: null, started_at: 0 };
}
