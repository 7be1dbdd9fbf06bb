// Whose a protocol task is: the caller as the platform knows it, and as the agent tells its callers apart.
// Both must be the same; another caller's task is none.
import type { Knex } from 'knex';
import type { TaskProtocol } from '#contract/states.ts';
import type { ProtocolTasksRow } from '#db/tables.ts';
import { stateOfReceipt } from '../../evidence/receipt/run-state.ts';
import type { RunActor } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { endedRunStates } from '../../kernel/run-state.ts';

export interface Whose {
  protocol: TaskProtocol;
  /** Made by the agent, equal for equal callers. */
  owner: string;
}

export function callerColumns(run: RunActor): Pick<ProtocolTasksRow, 'agent_id' | 'user_id' | 'caller_kind' | 'caller_id'> {
  return { agent_id: run.agent_id, user_id: run.user_id, caller_kind: run.caller.kind, caller_id: run.caller.id };
}

export type ProtocolTask = ProtocolTasksRow & { ended_as: 'succeeded' | 'failed' | 'cancelled' | null; cursor_at: number };

/** SQL: how the run of a task in `t` ended, whatever the task says; null while it goes on. */
export const ENDED_AS = `coalesce(
  (select r.state from runs r where r.run_id = t.run_id and r.state in (${endedRunStates})),
  (select ${stateOfReceipt(`c.payload->>'status'`)} from receipts c where c.run_id = t.run_id limit 1))`;

/** As `t`. */
export function tasksOfCaller(db: Knex, run: RunActor, { protocol, owner }: Whose, now: number): Knex.QueryBuilder {
  const { agent_id, user_id, caller_kind, caller_id } = callerColumns(run);
  return db('protocol_tasks as t')
    .where({ 't.agent_id': agent_id, 't.protocol': protocol, 't.owner_key': owner, 't.caller_kind': caller_kind })
    .whereRaw('t.user_id is not distinct from ? and t.caller_id is not distinct from ?', [user_id, caller_id])
    .where('t.expires_at', '>', new Date(now));
}

export function taskNotFound(): NotFound {
  return new NotFound('task_not_found', 'There is no such task for this caller, or its time is over');
}
