// What the outbox carries, and the verbs that write it. Temporal is never called inside a database transaction.
import type { StartWorkflow } from '#drivers/workflows/port.ts';
import type { Knex } from 'knex';
import type { Ctx } from '../kernel/ctx.ts';
import { newId } from '../kernel/ids.ts';
import { afterCommit } from '../kernel/after-commit.ts';
import { dispatchOne } from './dispatch.ts';
import { shownOf } from './shown.ts';

export async function startWorkflow(tx: Knex.Transaction, ctx: Ctx, start: StartWorkflow): Promise<void> {
  const { workflowId, type, skill: _, ...rest } = start;
  const message = { ...rest, ...shownOf(start, ctx.config.baseUrl) };
  await enqueue(tx, ctx, { kind: 'start', workflow_id: workflowId, name: type, message });
}

export async function signalWorkflow(tx: Knex.Transaction, ctx: Ctx, workflowId: string, name: string, args: unknown[] = []): Promise<void> {
  await enqueue(tx, ctx, { kind: 'signal', workflow_id: workflowId, name, message: { args } });
}

export async function cancelWorkflow(tx: Knex.Transaction, ctx: Ctx, workflowId: string): Promise<void> {
  await enqueue(tx, ctx, { kind: 'cancel', workflow_id: workflowId, name: 'cancel', message: {} });
}

interface Row {
  kind: 'start' | 'signal' | 'update' | 'cancel';
  workflow_id: string;
  name: string;
  message: object;
}

const precededBy = new WeakMap<Knex.Transaction, Promise<unknown>>();

/** Messages of this transaction are sent when `work`, which must not reject, is over. A preference: the sweeper does not know of it. */
export function sendAfter(tx: Knex.Transaction, work: Promise<unknown>): void {
  precededBy.set(tx, work);
}

async function enqueue(tx: Knex.Transaction, ctx: Ctx, row: Row): Promise<void> {
  const outboxId = newId('out', ctx.clock());
  await tx('outbox').insert({ ...row, outbox_id: outboxId, message: JSON.stringify(row.message), request_id: ctx.requestId });
  // Inside a transaction opened elsewhere the sweeper delivers it two seconds later.
  const send = (db: Knex): Promise<unknown> => dispatchOne({ ...ctx, db }, outboxId);
  afterCommit(tx, (db) => void (precededBy.get(tx) ?? Promise.resolve()).then(() => send(db)).catch(() => undefined));
}
