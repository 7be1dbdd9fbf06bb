import type { Knex } from 'knex';

export async function up(db: Knex): Promise<void> {
  await db.raw(`
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

    -- One conversation with one correspondent; its number is in the address of answers.
    create table mail_threads (
      thread_no     bigserial primary key,
      mailbox_id    text not null references mailboxes on delete cascade,
      -- Null: its owner deleted the conversation.
      thread_id     text references threads on delete set null,
      correspondent text not null,
      subject       text not null,
      created_at    timestamptz not null default now()
    );
    create index mail_threads_mailbox on mail_threads (mailbox_id);
    create index mail_threads_thread on mail_threads (thread_id);

    create table mail_messages (
      mail_id       text primary key,
      -- In the return address of what is sent.
      number        bigserial unique,
      mailbox_id    text not null references mailboxes on delete cascade,
      thread_no     bigint references mail_threads on delete cascade,
      direction     text not null check (direction in ('in', 'out')),
      state         text not null check (state in ('accepted', 'running', 'answered', 'done', 'skipped', 'queued', 'sent', 'thread_only', 'failed')),
      why           text,
      -- Of Message-ID, envelope sender and body: the same mail sent again is not taken twice.
      dedupe        text,
      message_id    text,
      in_reply_to   text[] not null default '{}',
      correspondent text not null,
      subject       text not null,
      -- As it came; null: not kept any more, or of a mail that is sent.
      sha256        text,
      size_bytes    integer not null default 0,
      -- Of what is sent: the text.
      body          text,
      -- What was verified: spf, dkim, dmarc, arc.
      verdict       jsonb,
      job_id        text,
      -- The mail that it answers.
      answers       text references mail_messages on delete cascade,
      attempts      integer not null default 0,
      created_at    timestamptz not null default now(),
      ended_at      timestamptz
    );
    create unique index mail_messages_once on mail_messages (mailbox_id, dedupe) where dedupe is not null;
    create unique index mail_messages_answer on mail_messages (answers) where answers is not null;
    create index mail_messages_ids on mail_messages (mailbox_id, message_id);
    create index mail_messages_mailbox on mail_messages (mailbox_id, direction, created_at desc);
    create index mail_messages_job on mail_messages (job_id) where job_id is not null;
    create index mail_messages_thread on mail_messages (thread_no);
    create index mail_messages_kept on mail_messages (created_at) where sha256 is not null or body is not null;
    create index mail_messages_blob on mail_messages (sha256) where sha256 is not null;
    create index mail_messages_open on mail_messages (created_at) where state in ('accepted', 'queued');

    create table mailbox_events (
      event_id   text primary key,
      mailbox_id text not null references mailboxes on delete cascade,
      kind       text not null check (kind in ('mail_received', 'mail_sent', 'mail_skipped', 'mail_send_rate_limited')),
      why        text,
      detail     text,
      mail_id    text,
      correspondent text,
      subject    text,
      message_id text,
      thread_id  text,
      job_id     text,
      at         timestamptz not null default now()
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
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table mail_keys, mailbox_events, mail_messages, mail_threads, mailboxes');
}
