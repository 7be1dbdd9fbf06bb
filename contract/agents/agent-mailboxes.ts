// Mailboxes of agents: who may write, and what happened to each mail.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Fault, Instant, nextCursor, pageQuery } from '../shared.ts';
import { MAIL_EVENT_KINDS, MAIL_SKIP_REASONS, MAILBOX_STATES } from '../states.ts';
import { AllowedSenders, MAIL_DAYS, MAX_MAILBOX_BYTES, MAX_SENT_A_DAY } from '../wire/mail.ts';

const MailboxState = z.enum(MAILBOX_STATES).meta({
  id: 'MailboxState',
  description: `pending and provisioning: it is being set up. ready: it takes mail. failed: see error, then create it again. disabled: it takes no mail; what it has is kept for ${MAIL_DAYS} days. removed: its address is unknown.`,
});

export const AgentMailboxOut = z
  .strictObject({
    address: z.string().meta({ examples: ['reporter@agents.example.com'] }),
    state: MailboxState,
    allowed_senders: z.array(z.string()).meta({ description: 'May write to the agent, beside its owner: set here.' }),
    declared_senders: z.array(z.string()).meta({ description: 'The same, of svc.yaml.' }),
    has_on_email: z.boolean().meta({ description: 'Whether the live deployment has the skill that gets the mail.' }),
    sent_today: z.int().meta({ description: 'Mails sent or waiting to be sent, of the last 24 hours.' }),
    send_limit: z.int().meta({ description: `${MAX_SENT_A_DAY} in 24 hours.` }),
    size_bytes: z.int().meta({ description: 'Size of the stored mail.' }),
    max_bytes: z.int().meta({ description: `${MAX_MAILBOX_BYTES}.` }),
    error: Fault.nullable(),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'AgentMailboxOut' });

export const AgentMailboxIn = z.strictObject({ allowed_senders: AllowedSenders.default([]) }).meta({ id: 'AgentMailboxIn' });

export const AgentMailboxPatchIn = z
  .strictObject({
    allowed_senders: AllowedSenders.optional().meta({ description: 'In place of those before.' }),
    enabled: z.boolean().optional().meta({ description: 'false: it takes no mail until it is enabled again.' }),
  })
  .meta({ id: 'AgentMailboxPatchIn' });

export const MailboxEventOut = z
  .strictObject({
    event_id: z.string(),
    kind: z.enum(MAIL_EVENT_KINDS),
    why: z.enum(MAIL_SKIP_REASONS).nullable().meta({ description: 'Only for mail_skipped and mail_send_rate_limited.' }),
    detail: z.string().nullable().meta({ description: 'More of why: an error code, or the status in a bounce.' }),
    correspondent: z.string().nullable().meta({ description: 'The sender or the recipient.' }),
    subject: z.string().nullable(),
    message_id: z.string().nullable(),
    thread_id: z.string().nullable().meta({ description: 'The conversation, as GET /v1/me/threads/{thread_id} has it.' }),
    job_id: z.string().nullable(),
    at: Instant,
  })
  .meta({ id: 'MailboxEventOut' });
const MailboxEventListOut = z.strictObject({ items: z.array(MailboxEventOut), next_cursor: nextCursor }).meta({ id: 'MailboxEventListOut' });

const count = z.int().min(0);
export const MailboxHealthOut = z
  .strictObject({
    served: z.boolean().meta({ description: 'Whether this installation has a mail domain.' }),
    domain: z.string().nullable(),
    mailboxes: z.strictObject(Object.fromEntries(MAILBOX_STATES.map((state) => [state, count])) as Record<(typeof MAILBOX_STATES)[number], typeof count>),
    waiting_in: count.meta({ description: 'Mails taken that no run has begun for.' }),
    waiting_out: count.meta({ description: 'Mails to be sent.' }),
    oldest_waiting_seconds: z.int().nullable(),
    received_24h: count,
    sent_24h: count,
    failed_24h: count.meta({ description: 'Mails that could not be sent.' }),
    dns_records: z
      .array(z.strictObject({ type: z.enum(['MX', 'TXT']), name: z.string(), value: z.string(), found: z.boolean().nullable() }))
      .meta({ description: 'What must stand in the DNS. found is null where the name servers did not answer.' }),
  })
  .meta({ id: 'MailboxHealthOut' });

export const agentMailboxes = group({
  get: {
    at: 'GET /v1/agents/{name}/mailbox',
    summary: "The agent's mailbox",
    scope: 'authenticated',
    params: AgentParams,
    out: AgentMailboxOut,
    errors: [401, 403, 404],
  },
  create: {
    at: 'POST /v1/agents/{name}/mailbox',
    summary: 'Give the agent a mailbox, without deploying it again',
    description: 'It is ready a moment later. A mailbox that failed or was removed is created again.',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentMailboxIn.nullable().optional(),
    out: AgentMailboxOut,
    status: 201,
    errors: [401, 403, 404, 409],
  },
  update: {
    at: 'PATCH /v1/agents/{name}/mailbox',
    summary: 'Change who may write to the agent; disable or enable its mailbox',
    scope: 'authenticated',
    params: AgentParams,
    body: AgentMailboxPatchIn,
    out: AgentMailboxOut,
    errors: [401, 403, 404, 409],
  },
  remove: {
    at: 'DELETE /v1/agents/{name}/mailbox',
    summary: "Remove the agent's mailbox: its address is unknown from now on",
    description: 'A deployment whose svc.yaml declares a mailbox creates it again.',
    scope: 'authenticated',
    params: AgentParams,
    status: 204,
    errors: [401, 403, 404],
  },
  events: {
    at: 'GET /v1/agents/{name}/mailbox/events',
    summary: 'List events of the mail of the mailbox, newest first',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(50, 200),
    out: MailboxEventListOut,
    errors: [400, 401, 403, 404],
  },
  health: {
    at: 'GET /v1/platform/mailboxes/health',
    summary: 'Read whether mail is served, how much waits, and which DNS records are missing',
    scope: 'platform',
    out: MailboxHealthOut,
    errors: [401, 403],
  },
});
