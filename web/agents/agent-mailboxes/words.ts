// What happened to a mail, as people read it.
import type { MailEventKind, MailSkipReason } from '#contract/states.ts';

export const EVENT_STATE: Record<MailEventKind, { label: string; color: string }> = {
  mail_received: { label: 'received', color: 'found' },
  mail_sent: { label: 'sent', color: 'ok' },
  mail_skipped: { label: 'skipped', color: 'warning' },
  mail_send_rate_limited: { label: 'not sent', color: 'warning' },
};

const WHY: Record<MailSkipReason, string> = {
  not_authenticated: 'its sender could not be proved',
  dmarc_reject: 'the policy of its domain (DMARC) rejects it',
  dmarc_quarantine: 'the policy of its domain (DMARC) marks it as suspicious',
  sender_not_allowed: 'its sender may not write to the agent',
  automatic: 'it was sent automatically',
  bounce: 'it reports that another mail was not delivered',
  malformed: 'it could not be read',
  mailbox_full: 'the mailbox is full',
  mailbox_closed: 'the mailbox was stopped',
  no_on_email: 'the live version has no skill on_email',
  not_started: 'no run could be started',
  run_failed: 'the run failed',
  bad_reply: 'the answer of the agent is not a mail',
  not_delivered: 'it could not be delivered',
  day_limit: 'the limit of mails per day is reached',
  correspondent_limit: 'the limit of mails to this address is reached',
};

export const whyWords = (why: MailSkipReason): string => WHY[why];
