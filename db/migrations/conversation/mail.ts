// Mails to and from agents.
import type { Part } from '../../parts.ts';

export const mail: Part = {
  up: `
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
  `,
  down: `
    drop table mail_messages, mail_threads;
  `,
};
