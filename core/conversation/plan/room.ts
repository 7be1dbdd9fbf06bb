// A step that could begin waits while its account has as many runs under way as an operator allows.
import type { DagNodesRow, DagRunsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import type { Fault } from '../../kernel/errors.ts';
import { hasRoom } from '../../runs/durable/room.ts';
import { appendThreadEvent } from '../../threads/append.ts';

/** A step waits no longer than this for runs of its account to end. */
const MOST_WAITED_MS = 3_600_000;

/** A fault: it has waited too long. It says once that it waits. */
export async function roomForNode(ctx: TxCtx, plan: DagRunsRow, row: DagNodesRow): Promise<'room' | 'waits' | Fault> {
  if (await hasRoom(ctx.db, plan.owner_id)) return 'room';
  const now = ctx.clock();
  if (row.room_since === null) {
    row.room_since = new Date(now);
    const { number, agent_name: agent, skill } = row;
    await ctx.db('dag_nodes').where({ dag_run_id: plan.dag_run_id, number }).update({ room_since: row.room_since });
    const waits = { dag_run_id: plan.dag_run_id, number, agent, skill, code: 'too_many_runs' };
    await appendEvent(ctx.db, plan.job_id, 'plan.waits_for_room', waits);
    if (plan.thread_id !== null) await appendThreadEvent(ctx.db, plan.thread_id, 'plan.waits_for_room', waits);
  }
  if (now - row.room_since.getTime() < MOST_WAITED_MS) return 'waits';
  const message = `It waited ${MOST_WAITED_MS / 60_000} minutes for other runs of this account to end: let some end, and start it again`;
  return { code: 'too_many_runs', message };
}
