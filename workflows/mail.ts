// Mail on its way: from the mailbox to a run of the agent, and the answer from there to its recipient. Each
// ends on its own, since its activity gives up in time.
import { continueAsNew, sleep } from '@temporalio/workflow';
import type { MailActivities } from '#activities/mail.ts';
import type { MailIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';

const rows = activities<MailActivities>({ startToCloseTimeout: '60s', retry: { maximumInterval: '60s' } });
/**
 * A slow server may take each of its four steps to their ends, and there may be four servers. A worker that
 * is killed meanwhile is noticed by its silence.
 */
const servers = activities<MailActivities>({ startToCloseTimeout: '10m', heartbeatTimeout: '15s', retry: { maximumInterval: '5m' } });

const firstWaitMs = 5_000;
const lastWaitMs = 1_800_000;

export async function deliverMail(i: MailIn): Promise<void> {
  await untilDone(
    i,
    () => rows.deliverMail(i.mail_id),
    (next) => continueAsNew<typeof deliverMail>(next),
  );
}

export async function sendMail(i: MailIn): Promise<void> {
  await untilDone(
    i,
    () => servers.sendAnswer(i.mail_id),
    (next) => continueAsNew<typeof sendMail>(next),
  );
}

async function untilDone(i: MailIn, step: () => Promise<'done' | 'later'>, again: (next: MailIn) => Promise<never>): Promise<void> {
  for (let wait = i.wait_ms ?? firstWaitMs; (await step()) === 'later'; wait = Math.min(wait * 2, lastWaitMs)) {
    await sleep(wait);
    if (isLong()) await again({ ...i, wait_ms: wait });
  }
}
