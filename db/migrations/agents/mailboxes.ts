// Mailboxes of agents: addresses, what happened to them, keys. The mails themselves are in conversation.
import type { Part } from '../../parts.ts';

export const mailboxes: Part = {
  up: `
    create table mailboxes (
      mailbox_id       text primary key,
      agent_id         text not null references agents,
      -- In lower case. One of another agent, removed, may have had it before.
      address          text not null,
      state            text not null check (state in ('pending', 'provisioning', 'ready', 'failed', 'disabled', 'removed')),
      -- Of svc.yaml, and set by the owner: both may write.
      declared_senders text[] not null default '{}',
      allowed_senders  text[] not null default '{}',
      error            jsonb,
      created_at       timestamptz not null default now(),
      updated_at       timestamptz not null default now()
    );
    create unique index mailboxes_agent_open on mailboxes (agent_id) where state <> 'removed';
    create unique index mailboxes_address_open on mailboxes (address) where state <> 'removed';
    create index mailboxes_agent on mailboxes (agent_id, created_at desc);

    create table mailbox_events (
      event_id      text primary key,
      mailbox_id    text not null references mailboxes on delete cascade,
      kind          text not null check (kind in ('mail_received', 'mail_sent', 'mail_skipped', 'mail_send_rate_limited')),
      why           text,
      detail        text,
      mail_id       text,
      correspondent text,
      subject       text,
      message_id    text,
      thread_id     text,
      job_id        text,
      at            timestamptz not null default now()
    );
    create index mailbox_events_mailbox on mailbox_events (mailbox_id, at desc, event_id desc);
    create index mailbox_events_at on mailbox_events (at);

    -- With which mails are signed (DKIM); the public half stands in the DNS.
    create table mail_keys (
      domain         text not null,
      selector       text not null,
      private_sealed text not null,
      public_key     text not null,
      created_at     timestamptz not null default now(),
      primary key (domain, selector)
    );
  `,
  down: `
    drop table mail_keys, mailbox_events, mailboxes;
  `,
};
