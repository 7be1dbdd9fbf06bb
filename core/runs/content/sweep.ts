// What is not kept any longer goes: first content and log lines, then the row. A legal hold of the agent's
// account or of the caller's keeps them all.
import type { Ctx } from '../../kernel/ctx.ts';
import { notOnHold, ownerOfAgent } from '../../accounts/legal-hold.ts';

export async function sweepContents({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  const at = new Date(now);
  await db('call_contents')
    .where('content_until', '<=', at)
    .whereRaw('(input is not null or output is not null or streamed is not null)')
    .where(notOnHold(ownerOfAgent('call_contents.agent_id'), now))
    .where(notOnHold('call_contents.user_id', now))
    .update({ input: null, output: null, streamed: null, progress: null });
  await db('call_contents')
    .where('log_until', '<=', at)
    .where(notOnHold(ownerOfAgent('call_contents.agent_id'), now))
    .where(notOnHold('call_contents.user_id', now))
    .update({ log: null, log_until: null });
  await db('call_contents')
    .where('expires_at', '<=', at)
    .where(notOnHold(ownerOfAgent('call_contents.agent_id'), now))
    .where(notOnHold('call_contents.user_id', now))
    .delete();
}
