// Sends what waits for push addresses: each address gets its messages one after the other, in their order. A
// message is leased, sent outside any transaction, then removed: a process that dies in between leaves a
// lease that runs out, and a receiver may get a message twice, with the same id.
import type { PushMessagesRow, TaskPushesRow } from '#db/tables.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { leasedUntil } from '../../kernel/lease.ts';
import { shownAt } from './push.ts';
import { signPush } from './sign-push.ts';

const AT_ONCE = 40;
/** Of one agent, so that slow receivers of one do not hold up those of others. */
const OF_AGENT = 8;
const LEASE_SECONDS = 60;
/** Seconds after each failed attempt; then the message is given up, and the next one is tried. */
const PAUSES = [1, 5, 30, 120, 300, 600, 1200] as const;

type Due = Pick<PushMessagesRow, 'message_id' | 'agent_id' | 'task_id' | 'config_id' | 'content_type' | 'body' | 'attempts'> &
  Pick<TaskPushesRow, 'url' | 'sealed'> & { agent: string };

/** One round. Resolves with how many it tried. */
export async function deliverPushes(ctx: Ctx): Promise<number> {
  const due = await lease(ctx);
  await Promise.all(due.map((one) => deliver(ctx, one)));
  return due.length;
}

async function lease({ db }: Ctx): Promise<Due[]> {
  const { rows } = await db.raw<{ rows: Due[] }>(
    `with heads as (
       select distinct on (m.agent_id, m.task_id, m.config_id) m.message_id, m.agent_id, m.due_at from push_messages m
       order by m.agent_id, m.task_id, m.config_id, m.message_id
     ), due as (
       select message_id from (select h.*, row_number() over (partition by agent_id order by due_at) as n from heads h
         where not ${leasedUntil('due_at', Math.max(...PAUSES))}) ranked
       where n <= ${OF_AGENT} order by due_at limit ${AT_ONCE}
     ), taken as (
       select message_id from push_messages where message_id in (select message_id from due) for update skip locked
     )
     update push_messages m set attempts = m.attempts + 1, due_at = now() + interval '${LEASE_SECONDS} seconds'
     from taken, task_pushes p, agents a
     where m.message_id = taken.message_id and p.agent_id = m.agent_id and p.task_id = m.task_id and p.config_id = m.config_id and a.agent_id = m.agent_id
       and not ${leasedUntil('m.due_at', Math.max(...PAUSES))}
     returning m.message_id, m.agent_id, m.task_id, m.config_id, m.content_type, m.body, m.attempts, p.url, p.sealed, a.name as agent`,
  );
  return rows;
}

async function deliver(ctx: Ctx, message: Due): Promise<void> {
  const mine = ctx.db('push_messages').where({ message_id: message.message_id });
  const status = await send(ctx, message).catch(() => 0);
  if (status >= 200 && status < 300) return void (await mine.delete());
  const { agent_id, task_id, config_id } = message;
  // Its receiver has gone.
  if (status === 410) return void (await ctx.db('task_pushes').where({ agent_id, task_id, config_id }).delete());
  const pause = PAUSES[message.attempts - 1];
  await (pause === undefined ? mine.delete() : mine.update({ due_at: ctx.db.raw(`now() + interval '${pause} seconds'`) }));
}

async function send(ctx: Ctx, { url, body, agent, content_type, message_id, task_id, ...row }: Due): Promise<number> {
  const { scheme, credentials, token } = await shownAt(ctx, { ...row, task_id });
  const signature = await signPush(ctx, { from: agentUrl(ctx.config, agent), to: url, id: String(message_id), taskId: task_id, body });
  return await ctx.drivers.pushes.post(url, {
    body,
    headers: {
      'content-type': content_type,
      ...(scheme !== '' && credentials !== '' && { authorization: `${scheme} ${credentials}` }),
      ...(token !== '' && { 'x-a2a-notification-token': token }),
      'svc-signature': signature,
    },
  });
}
