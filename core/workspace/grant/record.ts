// Every grant is signed here: its row, its audit row and its token are made together.
import { Grant } from '#contract/wire/grant.ts';
import { GrantTooLarge } from '#contract/crypto/grant-token.ts';
import type { GrantsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { storableText } from '../../kernel/storable.ts';
import { grantOfRow, tokenOfRow } from './keys.ts';

export interface SignedGrant {
  grant: Grant;
  token: string;
  row: GrantsRow;
}

export type NewGrant = Pick<
  GrantsRow,
  'kind' | 'parent_grant_id' | 'owner_id' | 'issuer' | 'audience' | 'bucket' | 'mode' | 'allow_patterns' | 'deny_patterns' | 'outputs_prefix' | 'depth'
> & { run_id?: string | null; wait_id?: string | null; reason?: string | null; issuedAt: number; expiresAt: number };

/** A new row, in the shape that the token is made from. `issuedAt` and `expiresAt` are epoch seconds. */
export function draftGrant(ctx: Ctx, { issuedAt, expiresAt, ...fields }: NewGrant): GrantsRow {
  return {
    run_id: null,
    wait_id: null,
    reason: null,
    revoked_at: null,
    revoked_reason: null,
    superseded_by: null,
    ...fields,
    grant_id: newId('grt', ctx.clock()),
    outputs_prefix: fields.outputs_prefix?.replace(/\/$/, '') ?? null,
    issued_at: new Date(issuedAt * 1000),
    expires_at: new Date(expiresAt * 1000),
  };
}

/** @throws Invalid when it is no grant, or larger than a token can be. */
export async function recordGrant(ctx: TxCtx, row: GrantsRow): Promise<SignedGrant> {
  const signed = await sign(ctx, row);
  await ctx.db('grants').insert({ ...row, reason: row.reason === null ? null : storableText(row.reason) });
  await audit(
    ctx,
    `grant.${row.kind}`,
    { grant: row.grant_id },
    {
      parent_grant_id: row.parent_grant_id,
      audience: row.audience,
      bucket: row.bucket,
      mode: row.mode,
      allow_patterns: row.allow_patterns,
      outputs_prefix: row.outputs_prefix,
      run_id: row.run_id,
      wait_id: row.wait_id,
    },
  );
  return signed;
}

async function sign(ctx: Ctx, row: GrantsRow): Promise<SignedGrant> {
  const checked = Grant.safeParse(await grantOfRow(ctx, row));
  if (!checked.success)
    throw new Invalid(checked.error.issues.map(({ path, message }) => ({ path: path.map((part) => (typeof part === 'symbol' ? '' : part)), message })));
  try {
    return { grant: checked.data, token: await tokenOfRow(ctx, row), row };
  } catch (error) {
    if (error instanceof GrantTooLarge) throw new Invalid([{ path: ['allow_patterns'], message: error.message }]);
    throw error;
  }
}

export function nowSeconds(ctx: Ctx): number {
  return Math.floor(ctx.clock() / 1000);
}
