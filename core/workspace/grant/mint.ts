// The first grant of a chain: given by whose files they are, or by the rules in their name.
import type { WorkspaceMode } from '#contract/wire/card.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { bucketOf } from './bucket.ts';
import { draftGrant, nowSeconds, recordGrant, type SignedGrant } from './record.ts';

export interface Mint {
  /** Whose files. */
  userId: string;
  /** The agent that receives it; that it exists and may be seen is the caller's to check. */
  audience: string;
  allow: readonly string[];
  deny: readonly string[];
  mode: WorkspaceMode;
  outputsPrefix: string | null;
  ttlSeconds: number;
  runId?: string | null | undefined;
  waitId?: string | null | undefined;
  reason?: string | null | undefined;
}

export async function mintGrant(ctx: TxCtx, i: Mint): Promise<SignedGrant> {
  const issuedAt = nowSeconds(ctx);
  const row = draftGrant(ctx, {
    kind: 'mint',
    parent_grant_id: null,
    owner_id: i.userId,
    issuer: i.userId,
    audience: i.audience,
    bucket: bucketOf(i.userId),
    mode: i.mode,
    allow_patterns: [...new Set(i.allow)],
    deny_patterns: [...new Set(i.deny)],
    outputs_prefix: i.outputsPrefix,
    depth: 0,
    run_id: i.runId ?? null,
    wait_id: i.waitId ?? null,
    reason: i.reason ?? null,
    issuedAt,
    expiresAt: issuedAt + i.ttlSeconds,
  });
  return recordGrant(ctx, row);
}
