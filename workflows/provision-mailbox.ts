// Makes a mailbox ready; what fails for an hour is said in the mailbox.
import { ActivityFailure } from '@temporalio/workflow';
import type { MailActivities } from '#activities/mail.ts';
import { activities } from './queues.ts';

const mail = activities<MailActivities>({ startToCloseTimeout: '60s', scheduleToCloseTimeout: '1h', retry: { maximumInterval: '60s' } });
const last = activities<MailActivities>({ startToCloseTimeout: '30s', retry: { maximumInterval: '60s' } });

export async function provisionMailbox({ mailbox_id }: { mailbox_id: string }): Promise<{ state: string | null }> {
  try {
    return { state: await mail.provisionMailbox(mailbox_id) };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    await last.failMailbox(mailbox_id);
    return { state: 'failed' };
  }
}
