// To which sign-in an access token belongs. The embedded provider names it in the token; of another one the
// first token that comes begins it.
import type { Knex } from 'knex';
import type { AccessTokenIdentity } from '#drivers/idp/access-tokens.ts';
import type { Ctx } from '../../kernel/ctx.ts';

/** Undefined: the token says nothing of it. */
export async function signInOf(db: Knex, { issuer, subject, signIn }: AccessTokenIdentity, from: Ctx['from']): Promise<string | undefined> {
  if (signIn === undefined || 'id' in signIn) return signIn?.id;
  const { family, clientId: client_id, issuedAt } = signIn;
  const row = { issuer, subject, client_id, family, address: from?.address.slice(0, 64) ?? null, user_agent: from?.userAgent?.slice(0, 300) ?? null };
  const known = await db('program_sign_ins').where({ issuer, family }).first('sign_in_id', 'ended_at');
  if (known && (known.ended_at === null || !beginsAgain(family, issuedAt, known.ended_at))) return known.sign_in_id;
  const [made] = await db('program_sign_ins')
    .insert(row)
    .onConflict(['issuer', 'family'])
    .merge({ ...row, created_at: db.fn.now(), ended_at: null })
    .returning('sign_in_id');
  return made?.sign_in_id;
}

/**
 * Where the issuer names no session, sign-ins of a client are known only by their time: what was issued after
 * an end is of another one.
 */
function beginsAgain(family: string, issuedAt: number, endedAt: Date): boolean {
  return family.startsWith('client:') && issuedAt > endedAt.getTime();
}
