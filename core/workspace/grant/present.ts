import type { GrantRowOut } from '#contract/workspace/grants.ts';
import type { GrantsRow } from '#db/tables.ts';

/** `now` in milliseconds. */
export function presentGrant(row: GrantsRow, now: number): GrantRowOut {
  return {
    grant_id: row.grant_id,
    parent_grant_id: row.parent_grant_id,
    kind: row.kind,
    state: row.revoked_at ? 'revoked' : row.expires_at.getTime() <= now ? 'expired' : 'active',
    issuer: row.issuer,
    audience: row.audience,
    bucket: row.bucket,
    mode: row.mode,
    allow_patterns: row.allow_patterns,
    deny_patterns: row.deny_patterns,
    outputs_prefix: row.outputs_prefix,
    depth: row.depth,
    run_id: row.run_id,
    wait_id: row.wait_id,
    reason: row.reason,
    superseded_by: row.superseded_by,
    issued_at: row.issued_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    revoked_reason: row.revoked_reason,
  };
}
