// Whether a run is the user's own doing from end to end: their own agent, called only by them or by their
// agents. Where another's agent stands in the line, what it passes on is its request, not the user's.
import { MAX_CALL_DEPTH } from '#contract/wire/limits.ts';
import type { Knex } from 'knex';
import type { RunActor } from '../../kernel/ctx.ts';

export async function isOwnLine(db: Knex, run: RunActor): Promise<boolean> {
  if (run.user_id === null || run.user_id !== run.owner_id) return false;
  if (run.parent_run_id === null) return true;
  const { rows } = await db.raw<{ rows: { own: boolean | null; whole: boolean | null }[] }>(
    `with recursive line as (
       select run_id, agent_id, parent_run_id, 1 as level from runs where run_id = :parent
       union all
       select r.run_id, r.agent_id, r.parent_run_id, l.level + 1 from line l join runs r on r.run_id = l.parent_run_id where l.level < ${MAX_CALL_DEPTH}
     )
     select bool_and(a.owner_id = :owner) as own, bool_or(l.parent_run_id is null) as whole from line l join agents a using (agent_id)`,
    { parent: run.parent_run_id, owner: run.owner_id },
  );
  return rows[0]?.own === true && rows[0].whole === true;
}
