// Push addresses of a task, and what waits to be sent to them. An address is judged when it is named, and
// again at each connection.
import type { Knex } from 'knex';
import type { z } from 'zod';
import { MAX_TASK_PUSHES, TaskPush, type TaskPushIn, type TaskUpdate } from '#contract/run/protocol-tasks.ts';
import type { TaskPushesRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { BadRequest, Conflict, Forbidden } from '../../kernel/errors.ts';
import { storableText } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { isNamed } from './named.ts';
import { callerColumns, tasksOfCaller, taskNotFound, type Whose } from './of-caller.ts';

/** Unsent, of all tasks of an agent. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const MAX_WAITING = 10_000;

/** What an address asks of its callers; sealed in its row. */
const PushCredentials = TaskPush.pick({ scheme: true, credentials: true, token: true });
export type PushCredentials = z.infer<typeof PushCredentials>;

type Place = Pick<TaskPushesRow, 'agent_id' | 'task_id'>;
type Named = Place & Pick<TaskPushesRow, 'config_id'>;

/**
 * @throws Forbidden push_not_named; NotFound task_not_found; BadRequest push_address_refused; Conflict
 * too_many_pushes
 */
export async function setPush(
  ctx: Ctx,
  { task_id, named_by, config_id: id, url, version, ...shown }: z.infer<typeof TaskPushIn> & { task_id: string },
): Promise<void> {
  const run = requireRun(ctx);
  if (!(await isNamed(ctx.drivers.vault, run, { url, token: named_by, now: ctx.clock() })))
    throw new Forbidden('push_not_named', 'Only a request of a caller names a push address, and not one of another agent');
  const problem = await ctx.drivers.pushes.problemOf(url);
  if (problem !== undefined) throw new BadRequest('push_address_refused', `The push address ${problem}`);
  const place: Named = { agent_id: run.agent_id, task_id, config_id: storableText(id) };
  const secret = await ctx.drivers.vault.seal(Buffer.from(JSON.stringify(shown)), pushContext(place));
  await system(ctx, async (ctx) => {
    const task = await settable(ctx.db, run, task_id).forUpdate().first('task_id');
    if (!task) throw taskNotFound();
    const others = await ctx.db('task_pushes').where({ agent_id: run.agent_id, task_id }).whereNot({ config_id: place.config_id }).select('config_id');
    if (others.length >= MAX_TASK_PUSHES) throw new Conflict('too_many_pushes', `A task has at most ${MAX_TASK_PUSHES} push addresses: delete one first`);
    const set = { url: storableText(url), version, sealed: secret };
    await ctx
      .db('task_pushes')
      .insert({ ...place, ...set, created_at: new Date(ctx.clock()) })
      .onConflict(['agent_id', 'task_id', 'config_id'])
      .merge(set);
    await audit(ctx, 'task.push_set', { task: task_id }, { run_id: run.run_id, host: new URL(url).host });
  });
}

export async function removePush(ctx: Ctx, { task_id, config_id }: { task_id: string; config_id: string }): Promise<void> {
  const run = requireRun(ctx);
  await system(ctx, async (ctx) => {
    const own = settable(ctx.db, run, task_id).select('task_id');
    const removed = await ctx
      .db('task_pushes')
      .where({ agent_id: run.agent_id, config_id: storableText(config_id) })
      .whereIn('task_id', own)
      .delete();
    if (removed > 0) await audit(ctx, 'task.push_removed', { task: task_id }, { run_id: run.run_id });
  });
}

/** The task of the run itself, or one that is over, of the same caller: nothing is pushed of it any more. */
function settable(db: Knex, run: RunActor, task_id: string): Knex.QueryBuilder {
  const over = { state: 'ended', ...callerColumns(run) };
  return db('protocol_tasks')
    .where({ agent_id: run.agent_id, task_id })
    .where((one) => void one.where({ run_id: run.run_id }).orWhere(over));
}

/** @throws NotFound task_not_found */
export async function listPushes(ctx: Ctx, { task_id, ...whose }: Whose & { task_id: string }): Promise<z.infer<typeof TaskPush>[]> {
  const run = requireRun(ctx);
  const task = await tasksOfCaller(ctx.db, run, whose, ctx.clock()).where({ 't.task_id': task_id }).first('t.task_id');
  if (!task) throw taskNotFound();
  const rows = await ctx.db('task_pushes').where({ agent_id: run.agent_id, task_id }).orderBy(['created_at', 'config_id']);
  return Promise.all(rows.map(async (row) => ({ config_id: row.config_id, url: row.url, version: row.version, ...(await shownAt(ctx, row)) })));
}

export async function shownAt(ctx: Pick<Ctx, 'drivers'>, row: Named & Pick<TaskPushesRow, 'sealed'>): Promise<PushCredentials> {
  return PushCredentials.parse(JSON.parse(Buffer.from(await ctx.drivers.vault.open(row.sealed, pushContext(row))).toString()));
}

/** Sealed values open only where they were sealed for. */
export function pushContext({ agent_id, task_id, config_id }: Named): string {
  return `task-push/${agent_id}/${task_id}/${config_id}`;
}

/**
 * In their order, for each address in its version. What is more than an agent may have waiting is not sent.
 */
export async function enqueueUpdates(tx: Knex.Transaction, place: Place, updates: readonly z.infer<typeof TaskUpdate>[]): Promise<void> {
  if (updates.length === 0) return;
  const { rows } = await tx.raw<{ rows: { waiting: number; bytes: number }[] }>(
    `select count(*)::int as waiting, coalesce(sum(octet_length(body)), 0)::bigint as bytes from push_messages where agent_id = :agent_id`,
    { agent_id: place.agent_id },
  );
  const waiting = rows[0] ?? { waiting: 0, bytes: 0 };
  const added = updates.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  if (waiting.waiting + updates.length > MAX_WAITING || waiting.bytes + added > MAX_WAITING_BYTES) return;
  await tx.raw(
    `insert into push_messages (agent_id, task_id, config_id, content_type, body)
     select p.agent_id, p.task_id, p.config_id, u.value->>'content_type', u.value->>'body'
     from jsonb_array_elements(:updates::jsonb) with ordinality u(value, n)
     join task_pushes p on p.agent_id = :agent_id and p.task_id = :task_id and p.version = u.value->>'version'
     order by u.n`,
    { ...place, updates: JSON.stringify(updates.map((update) => ({ ...update, body: storableText(update.body) }))) },
  );
}
