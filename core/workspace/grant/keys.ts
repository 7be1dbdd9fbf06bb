// The platform's side of grant tokens. A grant has one token, which is made from its row when needed and
// never stored.
import { createHmac } from 'node:crypto';
import type { Grant } from '#contract/wire/grant.ts';
import { grantKeyOf, signGrant } from '#contract/crypto/grant-token.ts';
import type { GrantsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';

type WithVault = Pick<Ctx, 'drivers'>;

/** What an agent checks tokens with that are addressed to it (SVC_GRANT_KEY), 32 bytes. */
export async function audienceKey(ctx: WithVault, audience: string): Promise<Uint8Array> {
  return grantKeyOf(await ctx.drivers.vault.derive('grants'), audience);
}

export async function grantOfRow(ctx: WithVault, row: GrantsRow): Promise<Grant> {
  return {
    grant_id: row.grant_id,
    issuer: row.issuer,
    audience: row.audience,
    bucket: row.bucket,
    mode: row.mode,
    allow_patterns: row.allow_patterns,
    deny_patterns: row.deny_patterns,
    outputs_prefix: row.outputs_prefix,
    issued_at: epochSeconds(row.issued_at),
    expires_at: epochSeconds(row.expires_at),
    nonce: await nonceOf(ctx, row.grant_id),
  };
}

/** The token of a grant, only for its audience. */
export async function tokenOfRow(ctx: WithVault, row: GrantsRow): Promise<string> {
  return signGrant(await grantOfRow(ctx, row), await audienceKey(ctx, row.audience));
}

/** It cannot be predicted without the platform's secret. */
async function nonceOf(ctx: WithVault, grantId: string): Promise<string> {
  const key = await ctx.drivers.vault.derive('grant-nonces');
  return createHmac('sha256', key).update(grantId, 'utf8').digest().subarray(0, 16).toString('base64url');
}

function epochSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
