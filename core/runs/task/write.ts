// The task of a run, as its agent says it is now. Only the run itself writes it, so that no other one can;
// the agent's word is kept, not believed: how the run ended the platform knows.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ProtocolTaskIn } from '#contract/run/protocol-tasks.ts';
import type { Ctx, RunActor } from '../../kernel/ctx.ts';
import { requireRun } from '../../kernel/ensure-run.ts';
import { Conflict } from '../../kernel/errors.ts';
import { storableText } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { callerColumns } from './of-caller.ts';
import { enqueueUpdates } from './push.ts';

/** Of an agent, for all its callers: beyond it the oldest that are over go, of who has most first. */
const MAX_TASKS = 1000;
const MAX_TASK_BYTES = 64 * 1024 * 1024;
const MAX_OPEN = 1000;

export type WriteTask = z.infer<typeof ProtocolTaskIn> & { task_id: string };

/** Sent again it changes nothing. @throws Conflict task_id_taken, too_many_tasks */
export async function writeTask(ctx: Ctx, i: WriteTask): Promise<void> {
  const run = requireRun(ctx);
  await system(ctx, async (ctx) => {
    if (!(await write(ctx.db, run, i, ctx.clock()))) {
      const known = await ctx.db('protocol_tasks').where({ agent_id: run.agent_id, task_id: i.task_id }).first('run_id');
      if (known?.run_id !== run.run_id) throw new Conflict('task_id_taken', `${i.task_id} is the task of another run: use a new id for each`);
    }
    await makeRoom(ctx.db, run.agent_id);
    await enqueueUpdates(ctx.db, { agent_id: run.agent_id, task_id: i.task_id }, i.updates);
  });
}

/** False: it is over already, or another run's. */
async function write(tx: Knex.Transaction, run: RunActor, i: WriteTask, now: number): Promise<boolean> {
  const at = new Date(now);
  const row = {
    ...callerColumns(run),
    task_id: i.task_id,
    protocol: i.protocol,
    run_id: run.run_id,
    deploy_id: run.deploy_id,
    owner_key: i.owner,
    context_key: i.context_key,
    state: i.over ? 'ended' : 'open',
    status: storableText(i.status),
    questions: i.questions.map(storableText),
    snapshot: storableText(i.snapshot),
    bytes: Buffer.byteLength(i.snapshot),
    created_at: at,
    changed_at: at,
    expires_at: new Date(now + i.retention_seconds * 1000),
  } as const;
  const { state, status, questions, snapshot, bytes, changed_at, expires_at } = row;
  const written = await tx('protocol_tasks')
    .insert(row)
    .onConflict(['agent_id', 'task_id'])
    .merge({ state, status, questions, snapshot, bytes, changed_at, expires_at })
    .whereRaw(`protocol_tasks.run_id = ? and protocol_tasks.state = 'open'`, [run.run_id])
    .returning('task_id');
  return written.length > 0;
}

async function makeRoom(tx: Knex.Transaction, agentId: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { tasks: number; open: number; bytes: number; open_bytes: number }[] }>(
    `select count(*)::int as tasks, count(*) filter (where state = 'open')::int as open, coalesce(sum(bytes), 0)::bigint as bytes,
       coalesce(sum(bytes) filter (where state = 'open'), 0)::bigint as open_bytes from protocol_tasks where agent_id = :agentId`,
    { agentId },
  );
  const [found] = rows;
  if (!found) return;
  if (found.open > MAX_OPEN || found.open_bytes > MAX_TASK_BYTES)
    throw new Conflict('too_many_tasks', `An agent has at most ${MAX_OPEN} tasks that are not over, of ${MAX_TASK_BYTES} bytes: let some end first`);
  if (found.tasks <= MAX_TASKS && found.bytes <= MAX_TASK_BYTES) return;
  await tx.raw(
    `delete from protocol_tasks k using (
       select task_id, row_number() over ranked as place, sum(bytes) over ranked as total from (
         select task_id, state, bytes, changed_at, row_number() over (partition by owner_key order by changed_at desc) as of_owner
         from protocol_tasks where agent_id = :agentId) one
       window ranked as (order by (state = 'open') desc, of_owner, changed_at desc, task_id)) all_of
     where k.agent_id = :agentId and k.task_id = all_of.task_id and k.state <> 'open' and (all_of.place > :most or all_of.total > :bytes)`,
    { agentId, most: MAX_TASKS, bytes: MAX_TASK_BYTES },
  );
}
