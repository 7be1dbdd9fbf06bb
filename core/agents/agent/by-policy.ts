// Asks the rules of the owner's account before an agent is deployed or published.
import type { Ctx } from '../../kernel/ctx.ts';
import { recordingDenials, requirePolicy } from '../../policy/deny.ts';

interface Change {
  /** Of the owner. */
  accountId: string;
  name: string;
}

/** Not in a transaction. @throws Forbidden policy_denied */
export async function requireByPolicy(ctx: Ctx, action: 'deploy' | 'publish', { accountId, name }: Change): Promise<void> {
  await recordingDenials(ctx, () => requirePolicy(ctx, { action, accounts: [accountId], resource: { type: 'Agent', name } }));
}
