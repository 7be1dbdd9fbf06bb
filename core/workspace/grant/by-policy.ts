// A grant hands files to an agent: the policies of whose files they are and of whom the giver works for are
// asked about it.
import type { Ctx } from '../../kernel/ctx.ts';
import { accountsOf } from '../../policy/accounts.ts';
import { requirePolicy } from '../../policy/deny.ts';

interface Giving {
  /** Whose files. */
  ownerId: string;
  audience: string;
  mode: string;
  allow: readonly string[];
  deny: readonly string[];
  ttlSeconds: number;
  outputsPrefix: string | null;
}

/** @throws Forbidden policy_denied: to be recorded (recordingDenials) */
export async function requireGrant(ctx: Ctx, { ownerId, audience, mode, allow, deny, ttlSeconds, outputsPrefix }: Giving): Promise<void> {
  await requirePolicy(ctx, {
    action: 'grant',
    accounts: [ownerId, ...(await accountsOf(ctx.db, ctx.actor))],
    resource: { type: 'Agent', name: audience },
    agent: audience,
    context: {
      grant: { id: '', issuer: ownerId, audience, mode, expires_in_s: ttlSeconds, allow_patterns: allow, deny_patterns: deny, outputs_prefix: outputsPrefix },
    },
  });
}
