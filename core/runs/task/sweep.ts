// Tasks whose run has ended without its agent's word, of which their push addresses hear; and tasks whose
// time is over.
import { z } from 'zod';
import type { TaskUpdate } from '#contract/run/protocol-tasks.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { system } from '../../kernel/act.ts';
import { ENDED_AS, type ProtocolTask } from './of-caller.ts';
import { enqueueUpdates } from './push.ts';

/** As long as one that ended in order. */
const LOST_RETENTION_MS = 3_600_000;
const BATCH = 1000;

type Lost = Pick<ProtocolTask, 'agent_id' | 'task_id' | 'protocol' | 'snapshot'> & { ended_as: NonNullable<ProtocolTask['ended_as']> };

export async function sweepTasks(ctx: Ctx): Promise<void> {
  const now = ctx.clock();
  await system(ctx, async (ctx) => {
    const { rows } = await ctx.db.raw<{ rows: Lost[] }>(
      `with lost as (select t.agent_id, t.task_id, ${ENDED_AS} as ended_as from protocol_tasks t where t.state = 'open' and ${ENDED_AS} is not null limit ${BATCH})
       update protocol_tasks k set state = 'lost', changed_at = :now, expires_at = :until from lost
       where k.agent_id = lost.agent_id and k.task_id = lost.task_id and k.state = 'open' returning k.agent_id, k.task_id, k.protocol, k.snapshot, lost.ended_as`,
      { now: new Date(now), until: new Date(now + LOST_RETENTION_MS) },
    );
    for (const task of rows) if (task.protocol === 'a2a') await enqueueUpdates(ctx.db, task, lostUpdates(task, new Date(now).toISOString()));
  });
  const { db } = ctx;
  await db('protocol_tasks').where('expires_at', '<', new Date(now)).orWhereIn('agent_id', db('agents').whereNotNull('deleted_at').select('agent_id')).delete();
}

/** The protocol's words, of both generations. */
const WORDS = { succeeded: 'completed', failed: 'failed', cancelled: 'canceled' } as const;
const Snapshot = z.object({ contextId: z.string() });

function lostUpdates({ task_id, ended_as, snapshot }: Lost, timestamp: string): z.infer<typeof TaskUpdate>[] {
  const word = WORDS[ended_as];
  const contextId = Snapshot.safeParse(parsed(snapshot)).data?.contextId ?? '';
  const current = { statusUpdate: { taskId: task_id, contextId, status: { state: `TASK_STATE_${word.toUpperCase()}`, timestamp } } };
  const legacy = { kind: 'task', id: task_id, contextId, status: { state: word, timestamp } };
  return [
    { version: '1.0', content_type: 'application/a2a+json', body: JSON.stringify(current) },
    { version: '0.3', content_type: 'application/json', body: JSON.stringify(legacy) },
  ];
}

/** The agent's word: it may be anything. */
function parsed(snapshot: string): unknown {
  try {
    return JSON.parse(snapshot);
  } catch {
    return undefined;
  }
}
