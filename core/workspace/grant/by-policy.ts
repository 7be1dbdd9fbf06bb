// A grant hands files to an agent: the policies of whose files they are and of whom the giver works for are asked about it.
import type { Ctx } from '../../kernel/ctx.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { requirePolicy } from '../../policy/deny.ts';

interface Giving {
  /** Whose files. */
  ownerId: string;
  audience: string;
  mode: string;
  allow: readonly string[];
  outputsPrefix: string | null;
}

/** @throws Forbidden policy_denied: to be recorded (recordingDenials) */
export async function requireGrant(ctx: Ctx, { ownerId, audience, mode, allow, outputsPrefix }: Giving): Promise<void> {
  await requirePolicy(ctx, {
    action: 'grant',
    accounts: [ownerId, ...(await accountsOf(ctx.db, ctx.actor))],
    resource: { type: 'Agent', id: audience },
    agent: audience,
    context: { mode, allow_patterns: allow, outputs_prefix: outputsPrefix ?? '' },
  });
}
