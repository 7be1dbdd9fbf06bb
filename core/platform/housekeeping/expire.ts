// What has served its time is deleted: one pass, bounded by what a pass before it left.
import type { Knex } from 'knex';
import { MAIL_DAYS } from '#contract/wire/mail.ts';
import { removeExpired } from '#drivers/idp/adapter.ts';
import { notOnHold, notRetained, ownerOfAgent } from '../../accounts/legal-hold.ts';
import { setting } from '../../kernel/settings.ts';
import { removeOldCodes } from '../../identity/code/one-time.ts';

/** Sent messages are kept this long, for operators who ask what was started when. */
const outboxDays = 7;
const sessionDays = 30;
const signInDays = 400;
/** They hold for a quarter of an hour. */
const sourceTokenDays = 1;
/** Older webhooks are refused by their time. */
const deliveryDays = 30;
/** The payment processor sends an event again for some days. */
const eventDays = 90;
/** Said to callers in the description of the route that serves them. */
const artifactDays = 90;
const mailEventDays = 365;

/** Resolves with how many rows went, by table. */
export async function expire(db: Knex, now: number): Promise<Record<string, number>> {
  // Of patches only the record goes; the files themselves are not touched.
  const [patchDays, firingDays] = [await setting(db, 'patch_days'), await setting(db, 'firing_days')];
  return {
    one_time_codes: await removeOldCodes(db, now),
    outbox: await db('outbox').where('sent_at', '<', daysAgo(now, outboxDays)).delete(),
    platform_tokens: await db('platform_tokens').where('expires_at', '<', daysAgo(now, sessionDays)).delete(),
    source_tokens: await db('source_tokens').where('expires_at', '<', daysAgo(now, sourceTokenDays)).delete(),
    scm_deliveries: await db('scm_deliveries').where('received_at', '<', daysAgo(now, deliveryDays)).delete(),
    processor_events: await db('processor_events').where('taken_at', '<', daysAgo(now, eventDays)).delete(),
    web_sessions: await db('web_sessions').where('expires_at', '<', daysAgo(now, sessionDays)).delete(),
    // What has no end of its own goes when nobody has used it for long.
    program_sign_ins: await db('program_sign_ins')
      .where((over) => over.where('expires_at', '<', daysAgo(now, sessionDays)).orWhere('last_used_at', '<', daysAgo(now, signInDays)))
      .delete(),
    patches: await db('patches')
      .where('settled_at', '<', daysAgo(now, patchDays))
      .where(
        notRetained({ owner: '(select r.owner_id from runs u join agents r using (agent_id) where u.run_id = patches.run_id)', at: 'patches.settled_at' }, now),
      )
      .delete(),
    // Their receipts name them.
    run_reads: await db('run_reads')
      .whereIn('run_id', db('runs').where('ended_at', '<', daysAgo(now, 1)).select('run_id'))
      .where('at', '<', daysAgo(now, 1))
      .delete(),
    artifacts: await db('artifacts')
      .where('created_at', '<', daysAgo(now, artifactDays))
      .where(notRetained({ owner: ownerOfAgent('artifacts.agent_id'), at: 'artifacts.created_at' }, now))
      .delete(),
    // They count towards a repair, which is kept.
    agent_failures: await db('agent_failures').where('at', '<', daysAgo(now, 1)).delete(),
    agent_memories: await db('agent_memories')
      .where((gone) => gone.where('expires_at', '<=', new Date(now)).orWhereIn('agent_id', db('agents').whereNotNull('deleted_at').select('agent_id')))
      .where(notOnHold(ownerOfAgent('agent_memories.agent_id'), now))
      .delete(),
    // What a mail said goes; that it came stays as long as its mailbox.
    mail_contents: await db('mail_messages')
      .where('created_at', '<', daysAgo(now, MAIL_DAYS))
      .where((query) => void query.whereNotNull('sha256').orWhereNotNull('body'))
      .whereNotIn('state', ['accepted', 'queued'])
      .where(notRetained({ owner: ofMailbox('mail_messages'), at: 'mail_messages.created_at' }, now))
      .update({ sha256: null, body: null }),
    mailbox_events: await db('mailbox_events')
      .where('at', '<', daysAgo(now, mailEventDays))
      .where(notRetained({ owner: ofMailbox('mailbox_events'), at: 'mailbox_events.at' }, now))
      .delete(),
    mail_messages: await db('mail_messages')
      .where('created_at', '<', daysAgo(now, mailEventDays))
      .where(notRetained({ owner: ofMailbox('mail_messages'), at: 'mail_messages.created_at' }, now))
      .delete(),
    mailboxes: await db('mailboxes')
      .where({ state: 'removed' })
      .where('updated_at', '<', daysAgo(now, MAIL_DAYS))
      .where(notRetained({ owner: ownerOfAgent('mailboxes.agent_id'), at: 'mailboxes.updated_at' }, now))
      .delete(),
    schedule_firings: await db('schedule_firings')
      .where('ended_at', '<', daysAgo(now, firingDays))
      .where(
        notRetained({ owner: '(select s.owner_id from schedules s where s.schedule_id = schedule_firings.schedule_id)', at: 'schedule_firings.ended_at' }, now),
      )
      .delete(),
    schedules: await db('schedules')
      .where('deleted_at', '<', daysAgo(now, firingDays))
      .whereRaw('synced_version = version')
      .where(notRetained({ owner: 'schedules.owner_id', at: 'schedules.deleted_at' }, now))
      .delete(),
    rate_limits: await db('rate_limits').where('expire', '<', now).delete(),
    oidc_payload: await removeExpired(db),
  };
}

/** SQL: the account of the mailbox that a row of the table is in. */
function ofMailbox(table: string): string {
  return `(select x.owner_id from mailboxes m join agents x using (agent_id) where m.mailbox_id = ${table}.mailbox_id)`;
}

function daysAgo(now: number, days: number): Date {
  return new Date(now - days * 86_400_000);
}
