// A workflow that was started and has not been seen to end.
import type { Knex } from 'knex';
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import { longAgo } from '../kernel/lease.ts';

export interface OpenWorkflow {
  workflow_id: string;
  type: string;
  message: Omit<StartWorkflow, 'workflowId' | 'type'>;
  restarts: number;
}

/** A workflow this young may still be on its way, or not yet in the engine's list. */
const graceSeconds = 60;
/** Several workers look after them: none looks at what another has just looked at. */
const pauseSeconds = 15;
/** One that is lost again and again is started more and more seldom. */
const mostBackoffSeconds = 3_600;

const columns = ['o.workflow_id', 'o.type', 'o.message', 'o.restarts'];

/** The next ones to look at, those that nobody looked at for longest first. */
export async function takeOpenWorkflows(db: Knex, limit: number): Promise<OpenWorkflow[]> {
  const due = db('open_workflows')
    .whereRaw(longAgo('started_at', graceSeconds))
    .whereRaw(`(looked_at is null or ${longAgo('looked_at', pauseSeconds)})`)
    .orderByRaw('(looked_at > now()) desc nulls first, looked_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .select('workflow_id');
  const rows = await db('open_workflows as o').whereIn('workflow_id', due).update({ looked_at: db.raw('now()') }).returning(columns); // prettier-ignore
  return rows.map(asOpen);
}

/** Those of the ids that are open here. */
export async function takeThese(db: Knex, workflowIds: readonly string[]): Promise<OpenWorkflow[]> {
  if (workflowIds.length === 0) return [];
  const rows = await db('open_workflows as o').whereIn('workflow_id', [...workflowIds]).update({ looked_at: db.raw('now()') }).returning(columns); // prettier-ignore
  return rows.map(asOpen);
}

/** The row of one that was taken; not of one that was started anew meanwhile. */
export function workflowRow(db: Knex, { workflow_id, restarts }: OpenWorkflow): Knex.QueryBuilder {
  return db('open_workflows').where({ workflow_id, restarts }).whereNotNull('looked_at');
}

/**
 * Of workflows that completed; those whose job is open nevertheless stay. Resolves with the ids of what it
 * forgot.
 */
export async function forgetCompleted(db: Knex, workflowIds: readonly string[]): Promise<string[]> {
  if (workflowIds.length === 0) return [];
  const gone = await db('open_workflows as o')
    .whereIn('o.workflow_id', [...workflowIds])
    .whereNotNull('o.looked_at')
    .whereNotExists(db('jobs').whereRaw('jobs.workflow_id = o.workflow_id').whereNull('ended_at').select(db.raw('1')))
    .delete()
    .returning('o.workflow_id');
  return gone.map(({ workflow_id }) => workflow_id);
}

/** Unless another process did, or has started it again. */
export async function forget(db: Knex, open: OpenWorkflow): Promise<boolean> {
  return (await workflowRow(db, open).delete()) > 0;
}

/**
 * False: its start is on its way, or it was started again a moment ago. `isKnown`: by the engine, which is no
 * question of time.
 */
export async function mayBeLost(db: Knex, open: OpenWorkflow, isKnown: boolean): Promise<boolean> {
  const { workflow_id, restarts } = open;
  const backoff = restarts === 0 ? (isKnown ? 0 : graceSeconds) : Math.min(mostBackoffSeconds, graceSeconds * 2 ** Math.min(restarts - 1, 6));
  const row = await workflowRow(db, open)
    .whereRaw(backoff === 0 ? 'true' : longAgo('started_at', backoff))
    .whereNotExists(db('outbox').where({ workflow_id, kind: 'start' }).whereNull('sent_at').select(db.raw('1')))
    .first('workflow_id');
  return row !== undefined;
}

// Safe: messages.ts, the only writer, fixes the shape of the message.
function asOpen(row: unknown): OpenWorkflow {
  return row as OpenWorkflow;
}
