// What the outbox carries, and the verbs that write it. Temporal is never called inside a database
// transaction.
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import type { Knex } from 'knex';
import type { TxCtx } from '../kernel/ctx.ts';
import { newId } from '../kernel/ids.ts';
import { afterCommit } from '../kernel/after-commit.ts';
import { dispatchOne } from './dispatch.ts';
import { type OpenWorkflow, workflowRow } from './open-workflow.ts';
import { workflowDescription } from './shown.ts';

export async function startWorkflow(ctx: TxCtx, start: StartWorkflow): Promise<void> {
  const { skill: _, ...shown } = { ...start, ...workflowDescription(start, ctx.config.baseUrl) };
  await noteOpenWorkflow(ctx.db, shown);
  const { workflowId, type, ...message } = shown;
  await enqueue(ctx, { kind: 'start', workflow_id: workflowId, name: type, message });
}

/**
 * From now on it is looked after (reconcile.ts). For what the engine's calendar has started; startWorkflow
 * does it for all others.
 */
export async function noteOpenWorkflow(tx: Knex.Transaction, { workflowId, type, ...message }: StartWorkflow): Promise<void> {
  await tx('open_workflows')
    .insert({ workflow_id: workflowId, type, message: JSON.stringify(message) })
    .onConflict('workflow_id')
    .merge({ message: JSON.stringify(message), started_at: tx.raw('now()'), looked_at: null, restarts: 0 });
}

/**
 * Writes its start once more, unless another process did. Resolves with the id of the message, which the
 * caller or the sweeper sends.
 */
export async function restartWorkflow(ctx: TxCtx, open: OpenWorkflow): Promise<string | undefined> {
  const { workflow_id, type, message, restarts } = open;
  const taken = await workflowRow(ctx.db, open).update({ restarts: restarts + 1, started_at: ctx.db.raw('now()'), looked_at: null });
  return taken > 0 ? write(ctx, { kind: 'start', workflow_id, name: type, message }) : undefined;
}

/**
 * The messages of the last days to this workflow, or to all that are open: the engine has lost some. Each may
 * come twice.
 */
export async function sendAgain(db: Knex, of: { workflow_id?: string } = {}): Promise<void> {
  const now = db.raw('now()');
  await db('outbox')
    .whereIn('kind', ['signal', 'cancel'])
    .whereNotNull('sent_at')
    .where(of)
    .whereIn('workflow_id', db('open_workflows').where(of).select('workflow_id'))
    // Of the present time: they follow the start that is sent again, and count as fresh.
    .update({ sent_at: null, created_at: now, due_at: now, attempts: 0 });
}

export async function signalWorkflow(ctx: TxCtx, workflowId: string, name: string, args: unknown[] = []): Promise<void> {
  await enqueue(ctx, { kind: 'signal', workflow_id: workflowId, name, message: { args } });
}

export async function cancelWorkflow(ctx: TxCtx, workflowId: string): Promise<void> {
  await enqueue(ctx, { kind: 'cancel', workflow_id: workflowId, name: 'cancel', message: {} });
}

interface Row {
  kind: 'start' | 'signal' | 'update' | 'cancel';
  workflow_id: string;
  name: string;
  message: object;
}

const precededBy = new WeakMap<Knex.Transaction, Promise<unknown>>();

/**
 * Messages of this transaction are sent when `work`, which must not reject, is over. A preference: the
 * sweeper does not know of it.
 */
export function sendAfter(tx: Knex.Transaction, work: Promise<unknown>): void {
  precededBy.set(tx, work);
}

async function enqueue(ctx: TxCtx, row: Row): Promise<void> {
  const outboxId = await write(ctx, row);
  // Inside a transaction opened elsewhere the sweeper delivers it two seconds later.
  const send = (db: Knex): Promise<unknown> => dispatchOne({ ...ctx, db }, outboxId);
  afterCommit(ctx.db, (db) => void (precededBy.get(ctx.db) ?? Promise.resolve()).then(() => send(db)).catch(() => undefined));
}

async function write(ctx: TxCtx, row: Row): Promise<string> {
  const outboxId = newId('out', ctx.clock());
  await ctx.db('outbox').insert({ ...row, outbox_id: outboxId, message: JSON.stringify(row.message), request_id: ctx.requestId });
  return outboxId;
}
