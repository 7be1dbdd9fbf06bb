// Sends outbox rows: at once after commit, or by the sweeper when that did not happen. A row is leased, sent
// outside any transaction, then marked; a process that dies in between leaves a lease that runs out. Every
// send is idempotent. What is for a workflow waits for its start: it does not overtake it, and does not wait
// longer for having come too early.
import type { Knex } from 'knex';
import type { SearchAttributes, StartWorkflow, WorkflowStarter } from '#drivers/workflows/port.ts';
import type { Ctx } from '../kernel/ctx.ts';
import { leasedUntil, longAgo } from '../kernel/lease.ts';

interface OutboxRow {
  outbox_id: string;
  kind: 'start' | 'signal' | 'update' | 'cancel';
  workflow_id: string;
  name: string;
  message: Partial<Pick<StartWorkflow, 'taskQueue' | 'args' | 'searchAttributes' | 'summary' | 'details'>>;
  attempts: number;
}

type Deps = Pick<Ctx, 'db'> & { drivers: { workflows: WorkflowStarter } };

/** Rows younger than this belong to the fast path of the process that wrote them. */
const sweepAfterSeconds = 2;
const leaseSeconds = 30;
const maxBackoffSeconds = 60;

export async function dispatchOne(deps: Deps, outboxId: string): Promise<void> {
  const [row] = await lease(deps.db, (q) => q.where({ outbox_id: outboxId }));
  if (row) await send(deps, row);
}

/** Sends up to `limit` overdue rows, oldest first; resolves with how many it tried. */
export async function sweepOutbox(deps: Deps, limit = 50): Promise<number> {
  const rows = await lease(deps.db, (q) => q.whereRaw(longAgo('created_at', sweepAfterSeconds)).orderBy('outbox_id').limit(limit));
  for (const row of rows) await send(deps, row);
  return rows.length;
}

async function lease(db: Knex, choose: (q: Knex.QueryBuilder) => Knex.QueryBuilder): Promise<OutboxRow[]> {
  const start = db('outbox as s').whereRaw(
    `s.workflow_id = outbox.workflow_id and s.kind = 'start' and s.sent_at is null and s.created_at <= outbox.created_at`,
  );
  const sendable = db('outbox')
    .select('outbox_id')
    .whereNull('sent_at')
    .whereRaw(`not ${leasedUntil('due_at', maxBackoffSeconds)}`)
    .where((q) => q.where({ kind: 'start' }).orWhereNotExists(start));
  const due = choose(sendable.forUpdate().skipLocked());
  const rows = await db('outbox')
    .whereIn('outbox_id', due)
    .update({ attempts: db.raw('attempts + 1'), due_at: db.raw(`now() + interval '${leaseSeconds} seconds'`) })
    .returning(['outbox_id', 'kind', 'workflow_id', 'name', 'message', 'attempts']);
  return rows.map(asRow).sort((a, b) => (a.outbox_id < b.outbox_id ? -1 : 1));
}

async function send(deps: Deps, row: OutboxRow): Promise<void> {
  const mine = deps.db('outbox').where({ outbox_id: row.outbox_id });
  try {
    await deliver(deps.drivers.workflows, row);
    await mine.update({ sent_at: deps.db.raw('now()'), last_error: null });
    if (row.kind === 'start') for (const next of await lease(deps.db, (q) => q.where({ workflow_id: row.workflow_id }))) await send(deps, next);
  } catch (error) {
    const seconds = Math.min(maxBackoffSeconds, 2 ** Math.min(row.attempts, 6));
    await mine.update({
      last_error: error instanceof Error ? error.message.slice(0, 500) : 'unknown error',
      due_at: deps.db.raw(`now() + interval '${seconds} seconds'`),
    });
  }
}

/** Only a start has them. */
const defaultSearchAttributes: SearchAttributes = { SvcKind: 'unknown', SvcOwner: 'platform' };

async function deliver(workflows: WorkflowStarter, row: OutboxRow): Promise<void> {
  const { taskQueue = 'control', args = [], searchAttributes = defaultSearchAttributes, ...shown } = row.message;
  switch (row.kind) {
    case 'start':
      return workflows.start({ type: row.name, workflowId: row.workflow_id, taskQueue, args, searchAttributes, ...shown });
    case 'signal':
      return workflows.signal(row.workflow_id, row.name, args);
    case 'update':
      await workflows.update(row.workflow_id, row.name, row.outbox_id, args[0]);
      return;
    case 'cancel':
      return workflows.cancel(row.workflow_id);
  }
}

// Safe: messages.ts, the only writer, fixes these shapes.
function asRow(row: unknown): OutboxRow {
  return row as OutboxRow;
}
