// Tasks that the platform keeps, for the caller whose they are.
import type { z } from 'zod';
import type { ProtocolTaskOut } from '#contract/run/protocol-tasks.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { microseconds, newestFirst } from '../../kernel/keyset.ts';
import { fitting, type Page, toPage } from '../../kernel/page.ts';
import { ENDED_AS, type ProtocolTask, tasksOfCaller, taskNotFound, type Whose } from './of-caller.ts';

type Out = z.infer<typeof ProtocolTaskOut>;

/** @throws NotFound task_not_found */
export async function getTask(ctx: Ctx, { task_id, ...whose }: Whose & { task_id: string }): Promise<Out> {
  const row = await tasksOfCaller(ctx.db, requireRun(ctx), whose, ctx.clock())
    .where({ 't.task_id': task_id })
    .first<ProtocolTask | undefined>('t.*', ctx.db.raw(`${ENDED_AS} as ended_as`));
  if (!row) throw taskNotFound();
  return present(row);
}

export interface ListTasks extends Whose {
  limit: number;
  cursor?: string | undefined;
  context_key?: string | undefined;
  status?: string | undefined;
  changed_after?: string | undefined;
  open?: boolean | undefined;
}

/** The last changed first. A page may be short, as its tasks may be long. */
export async function listTasks(ctx: Ctx, i: ListTasks): Promise<Page<Out> & { total: number }> {
  const { context_key, status, changed_after, open } = i;
  const matching = tasksOfCaller(ctx.db, requireRun(ctx), i, ctx.clock());
  if (context_key !== undefined) void matching.where({ 't.context_key': context_key });
  if (status !== undefined) void matching.where({ 't.status': status });
  if (changed_after !== undefined) void matching.where('t.changed_at', '>', new Date(changed_after));
  if (open === true) void matching.where({ 't.state': 'open' }).whereRaw(`t.questions <> '{}' and ${ENDED_AS} is null`);
  const counted = await matching.clone().count<{ count: number }[]>({ count: '*' });
  const sized = matching.clone().select<ProtocolTask[]>('t.task_id', 't.bytes', 't.changed_at', ctx.db.raw(`${microseconds('t.changed_at')} as cursor_at`));
  newestFirst(sized, ['t.changed_at', 't.task_id'], i);
  const heads = await sized;
  const limit = fitting(heads, i.limit);
  const whole = await matching
    .clone()
    .whereIn(
      't.task_id',
      heads.slice(0, limit).map(({ task_id }) => task_id),
    ) // prettier-ignore
    .select<ProtocolTask[]>('t.*', ctx.db.raw(`${ENDED_AS} as ended_as`));
  const byId = new Map(whole.map((row) => [row.task_id, row]));
  const { items, next_cursor } = toPage(
    heads,
    limit,
    ({ task_id }) => byId.get(task_id),
    (row) => [row.cursor_at, row.task_id],
  );
  return { items: items.flatMap((row) => (row ? [present(row)] : [])), next_cursor, total: counted[0]?.count ?? 0 };
}

function present({ task_id, run_id, status, state, ended_as, snapshot, changed_at }: ProtocolTask): Out {
  const over = state === 'ended';
  return { task_id, run_id, status, over, ended_as: over ? null : ended_as, snapshot, changed_at: changed_at.toISOString() };
}
