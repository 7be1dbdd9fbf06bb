// The latest lines of all sources, in one shape. Receipts are found by agent, as their indexes have them:
// first which agents the account called or owns, then the newest of each.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ControlRoomLineOut } from '#contract/overview/control-room.ts';
import type { ControlRoomSource } from '#contract/states.ts';

type Line = z.infer<typeof ControlRoomLineOut>;

/** Agents of the account that are looked at, and agents that it called. */
const MOST_AGENTS = 500;

interface Row extends Omit<Line, 'at' | 'source'> {
  at: Date;
}

/** Newest first. */
export async function latestLines(db: Knex, userId: string, limit: number): Promise<Line[]> {
  if (limit === 0) return [];
  const all = await Promise.all([
    lines(db, 'receipt', RECEIPTS, userId, limit),
    lines(db, 'meta_run', META_RUNS, userId, limit),
    lines(db, 'subagent_run', SUBAGENT_RUNS, userId, limit),
  ]);
  return all
    .flat()
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.item_id < b.item_id ? 1 : -1))
    .slice(0, limit);
}

async function lines(db: Knex, source: ControlRoomSource, sql: string, userId: string, limit: number): Promise<Line[]> {
  const { rows } = await db.raw<{ rows: Row[] }>(sql, { userId, limit });
  return rows.map((row) => ({ ...row, source, at: row.at.toISOString() }));
}

const denialsOf = (run: string): string => `(select count(*)::int from policy_denials d where d.run_id = ${run} and d.user_id = :userId) as denials`;

const RECEIPTS = `with recursive called(agent_id, number) as (
    (select agent_id, 1 from receipts where caller_user_id = :userId order by agent_id limit 1)
    union all
    select (select r.agent_id from receipts r where r.caller_user_id = :userId and r.agent_id > c.agent_id order by r.agent_id limit 1), c.number + 1
    from called c where c.agent_id is not null and c.number < ${MOST_AGENTS}
  ),
  found as (
    select r.* from called c cross join lateral (
      select * from receipts where caller_user_id = :userId and agent_id = c.agent_id order by created_at desc, receipt_id desc limit :limit) r
    union
    select r.* from (select agent_id from agents where owner_id = :userId and call_count > 0 order by updated_at desc limit ${MOST_AGENTS}) a cross join lateral (
      select * from receipts where agent_id = a.agent_id order by created_at desc, receipt_id desc limit :limit) r
  ),
  newest as (select * from found order by created_at desc, receipt_id desc limit :limit)
  select r.receipt_id as item_id, a.name as agent, a.name || '.' || r.skill as title, r.status, r.source = 'platform' as signed, r.run_id, r.receipt_id, ${denialsOf('r.run_id')}, r.created_at as at
  from newest r join agents a using (agent_id) order by r.created_at desc, r.receipt_id desc`;

const META_RUNS = `select m.meta_run_id as item_id, a.name as agent, left(m.goal, 200) as title, m.status, false as signed, m.run_id, null as receipt_id, ${denialsOf('m.run_id')}, m.updated_at as at
  from meta_runs m join agents a using (agent_id) where m.user_id = :userId order by m.created_at desc, m.meta_run_id desc limit :limit`;

const SUBAGENT_RUNS = `select s.grant_id as item_id, s.agent_name as agent, coalesce(s.caller_agent || ' → ', '') || s.agent_name || '.' || s.skill as title,
    coalesce(s.reported->>'state', r.state, 'running') as status, false as signed, s.run_id, r.receipt_id, ${denialsOf('s.run_id')}, s.started_at as at
  from subagent_runs s left join runs r on r.run_id = s.run_id where s.owner_id = :userId order by s.started_at desc, s.grant_id desc limit :limit`;
