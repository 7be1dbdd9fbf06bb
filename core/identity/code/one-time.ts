// Codes that work once: the guarded UPDATE decides who was first, whatever comes at the same moment.
import type { Knex } from 'knex';
import type { ONE_TIME_CODE_KINDS } from '#contract/states.ts';
import type { OneTimeCodesRow } from '#db/tables.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';

export type CodeKind = (typeof ONE_TIME_CODE_KINDS)[number];

/** Lifetimes in seconds. */
export const CODE_SECONDS: Record<CodeKind, number> = { oidc_state: 600, cli_session: 120, cli_confirm: 300, agent_session: 60, sso_state: 600, sso_token: 60 };

const JUST_NOW_MS = 60_000;

export interface MintCode {
  kind: CodeKind;
  userId?: string | undefined;
  /** Who may redeem it. */
  audience?: string | undefined;
  payload?: Record<string, unknown>;
  /** A value of the caller's own instead of a new one. */
  code?: string;
}

export async function mintCode(db: Knex, mint: MintCode, now: number): Promise<{ code: string; expiresAt: Date }> {
  const code = mint.code ?? newSecret();
  const expiresAt = new Date(now + CODE_SECONDS[mint.kind] * 1000);
  await db('one_time_codes').insert({
    code_hash: hashSecret(code),
    kind: mint.kind,
    user_id: mint.userId ?? null,
    audience: mint.audience ?? null,
    payload: JSON.stringify(mint.payload ?? {}),
    created_at: new Date(now),
    expires_at: expiresAt,
  });
  return { code, expiresAt };
}

export type Redeemed =
  | { state: 'redeemed'; row: OneTimeCodesRow }
  /** No such code (of this kind) was ever issued. */
  | { state: 'unknown' }
  /** By the same caller within the last minute: most likely a repeated request. */
  | { state: 'just_used' }
  | { state: 'gone' };

export interface RedeemCode {
  kind: CodeKind;
  code: string;
  audience?: string | undefined;
  /** Who redeems: kept, and what a repeated request is recognised by. */
  by: string;
  /** Other names of the same caller. */
  alsoKnownAs?: string | undefined;
}

export async function redeemCode(db: Knex, redeem: RedeemCode, now: number): Promise<Redeemed> {
  const where = { code_hash: hashSecret(redeem.code), kind: redeem.kind };
  const [row] = await db('one_time_codes')
    .where(where)
    .modify((query) => void (redeem.audience === undefined || query.where({ audience: redeem.audience })))
    .whereNull('used_at')
    .where('expires_at', '>', new Date(now))
    .update({ used_at: new Date(now), used_by: redeem.by })
    .returning('*');
  if (row) return { state: 'redeemed', row };
  const seen = await db('one_time_codes').where(where).first();
  if (!seen || (redeem.audience !== undefined && seen.audience !== redeem.audience)) return { state: 'unknown' };
  const sameCaller = seen.used_by === redeem.by || (redeem.alsoKnownAs !== undefined && seen.used_by === redeem.alsoKnownAs);
  return sameCaller && seen.used_at && now - seen.used_at.getTime() < JUST_NOW_MS ? { state: 'just_used' } : { state: 'gone' };
}

/**
 * Removes codes a day after they expired: until then an expired code gets another answer than an unknown one.
 */
export async function removeOldCodes(db: Knex, now: number): Promise<number> {
  return db('one_time_codes')
    .where('expires_at', '<', new Date(now - 86_400_000))
    .delete();
}
