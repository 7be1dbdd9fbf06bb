import type { z } from 'zod';
import type { MailboxHealthOut } from '#contract/agents/agent-mailboxes.ts';
import type { MAILBOX_STATES, MailboxState } from '#contract/states.ts';
import type { DnsRecord, Mail } from '#drivers/mail/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { dkimRecord } from './keys.ts';

type Health = z.infer<typeof MailboxHealthOut>;

export async function mailboxHealth(ctx: Ctx): Promise<Health> {
  const { mail } = ctx.drivers;
  const states = await ctx.db('mailboxes').groupBy('state').select<{ state: MailboxState; n: number }[]>('state', ctx.db.raw('count(*)::int as n'));
  const { rows } = await ctx.db.raw<{ rows: [Omit<Health, 'served' | 'domain' | 'mailboxes' | 'dns_records'>] }>(
    `with open as (select state, created_at from mail_messages where state in ('accepted', 'queued')),
      recent as (select kind, why from mailbox_events where at > now() - interval '24 hours')
     select (select count(*)::int from open where state = 'accepted') as waiting_in,
       (select count(*)::int from open where state = 'queued') as waiting_out,
       (select floor(extract(epoch from now() - min(created_at)))::int from open) as oldest_waiting_seconds,
       (select count(*)::int from recent where kind = 'mail_received') as received_24h,
       (select count(*)::int from recent where kind = 'mail_sent') as sent_24h,
       (select count(*)::int from recent where why = 'not_delivered') as failed_24h`,
  );
  return {
    served: mail !== undefined,
    domain: mail?.domain ?? null,
    mailboxes: countsOf(states),
    ...rows[0],
    dns_records: mail ? await recordsOf(ctx, mail) : [],
  };
}

function countsOf(states: readonly { state: MailboxState; n: number }[]): Health['mailboxes'] {
  const counts = { pending: 0, provisioning: 0, ready: 0, failed: 0, disabled: 0, removed: 0 } satisfies Record<(typeof MAILBOX_STATES)[number], number>;
  for (const { state, n } of states) counts[state] = n;
  return counts;
}

async function recordsOf(ctx: Ctx, mail: Mail): Promise<Health['dns_records']> {
  const dkim = await dkimRecord(ctx, mail);
  const wanted: (DnsRecord & { value: string; fits: (found: string) => boolean })[] = [
    { type: 'MX', name: mail.domain, value: mail.hostname, fits: (found) => found.replace(/\.$/, '') === mail.hostname },
    { type: 'TXT', name: mail.domain, value: 'v=spf1 mx -all', fits: (found) => found.startsWith('v=spf1') },
    { type: 'TXT', name: `_dmarc.${mail.domain}`, value: 'v=DMARC1; p=reject; adkim=s; aspf=s', fits: (found) => found.startsWith('v=DMARC1') },
  ];
  if (dkim !== undefined)
    wanted.push({ type: 'TXT', name: `${mail.selector}._domainkey.${mail.domain}`, value: dkim, fits: (found) => keyIn(found) === keyIn(dkim) });
  return Promise.all(
    wanted.map(async ({ type, name, value, fits }) => {
      const publishedRecords = await mail.look({ type, name });
      return { type, name, value, found: publishedRecords ? publishedRecords.some(fits) : null };
    }),
  );
}

function keyIn(record: string): string | undefined {
  return /\bp=([A-Za-z0-9+/= ]+)/.exec(record)?.[1]?.replaceAll(' ', '');
}
