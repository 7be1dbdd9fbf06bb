// What waits for the account's decision, and how it hears of it.
import { z } from 'zod';
import { svcGroup } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { WAIT_KINDS, WAIT_STATES } from '../states.ts';
import { WaitCard } from './cards.ts';

/** How long a wait is open before a mail says so. */
export const MAIL_AFTER_SECONDS = 120;

const WaitsOut = z.strictObject({ items: z.array(WaitCard), next_cursor: nextCursor }).meta({ id: 'WaitsOut' });

export const NotificationsOut = z
  .strictObject({
    mail: z
      .boolean()
      .meta({ description: `A mail to the account's address when something has waited for ${MAIL_AFTER_SECONDS / 60} minutes; several at once are one mail.` }),
    mail_served: z.boolean().meta({ description: 'Whether this installation sends mail: its operator names a mail domain.' }),
    address: z.string().meta({ description: 'Where mails go.' }),
  })
  .meta({ id: 'NotificationsOut' });

export const DecidedBy = z
  .strictObject({ you: z.boolean(), email: z.string() })
  .nullable()
  .meta({ id: 'DecidedBy', description: 'The person who decided; null: nobody yet, or a rule decided, or the deadline passed, or the run ended.' });

const WaitStateOut = z
  .strictObject({
    wait_id: z.string(),
    kind: z.enum(WAIT_KINDS),
    state: z.enum(WAIT_STATES).meta({ description: 'expired and cancelled as soon as no decision is taken any more.' }),
    title: z.string().meta({ description: 'One line: who wants what.' }),
    agent: z.string(),
    skill: z.string(),
    run_id: z.string().nullable(),
    expires_at: Instant,
    resolved_at: Instant.nullable(),
    resolved_by: DecidedBy,
  })
  .meta({ id: 'WaitStateOut' });

export const inbox = svcGroup({
  waits: {
    at: 'GET /v1/me/waits',
    summary: 'Everything that waits for a decision of the account, what ends soonest first',
    scope: 'account',
    query: pageQuery(50, 200),
    out: WaitsOut,
    errors: [400, 401, 403],
  },
  wait: {
    at: 'GET /v1/me/waits/{wait_id}',
    summary: 'One decision of the account: whether it is open, or who decided what and when',
    scope: 'account',
    params: z.object({ wait_id: z.string().max(64) }),
    out: WaitStateOut,
    errors: [401, 403, 404],
  },
  notifications: {
    at: 'GET /v1/me/notifications',
    summary: 'Read how the account is notified of open decisions',
    scope: 'account',
    personal: true,
    out: NotificationsOut,
    errors: [401, 403],
  },
  setNotifications: {
    at: 'PUT /v1/me/notifications',
    summary: 'Set how the account is notified of pending requests',
    scope: 'account',
    personal: true,
    body: z.strictObject({ mail: z.boolean() }).meta({ id: 'NotificationsIn' }),
    out: NotificationsOut,
    errors: [401, 403],
  },
});
