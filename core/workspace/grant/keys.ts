// The platform's side of grant tokens. A grant has one token, made again from its row when it must be: nobody stores it.
import { createHmac } from 'node:crypto';
import type { Grant } from '../../../contract/wire/grant.ts';
import { grantKeyOf, signGrant } from '../../../contract/wire/grant-token.ts';
import type { GrantsRow } from '../../../db/tables.ts';
import type { Ctx } from '../../ctx.ts';
import { grantMode } from './row.ts';

type WithVault = Pick<Ctx, 'drivers'>;

/** What an agent checks tokens with that are addressed to it (SVC_GRANT_KEY), 32 bytes. */
export function audienceKey(ctx: WithVault, audience: string): Uint8Array {
  return grantKeyOf(ctx.drivers.vault.derive('grants'), audience);
}

export function grantOfRow(ctx: WithVault, row: GrantsRow): Grant {
  return {
    grant_id: row.grant_id,
    issuer: row.issuer,
    audience: row.audience,
    bucket: row.bucket,
    mode: grantMode(row),
    allow_patterns: row.allow_patterns,
    deny_patterns: row.deny_patterns,
    outputs_prefix: row.outputs_prefix,
    issued_at: epochSeconds(row.issued_at),
    expires_at: epochSeconds(row.expires_at),
    nonce: nonceOf(ctx, row.grant_id),
  };
}

/** The token of a grant, for whom it was meant for and nobody else. */
export function tokenOfRow(ctx: WithVault, row: GrantsRow): string {
  return signGrant(grantOfRow(ctx, row), audienceKey(ctx, row.audience));
}

/** Nobody without the platform's secret can tell it beforehand. */
function nonceOf(ctx: WithVault, grantId: string): string {
  return createHmac('sha256', ctx.drivers.vault.derive('grant-nonces')).update(grantId, 'utf8').digest().subarray(0, 16).toString('base64url');
}

export function epochSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
