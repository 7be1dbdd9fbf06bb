// A browser opened a sign-in link. With a session of the same account it is renewed; otherwise the person
// confirms first, for a link that someone else sent must not sign a person in (or into another's account)
// unasked.
import { z } from 'zod';
import { type Ctx, personOf, type UserActor } from '../../kernel/ctx.ts';
import type { OneTimeCodesRow, UsersRow } from '#db/tables.ts';
import { Conflict, Forbidden, Gone } from '../../kernel/errors.ts';
import { system } from '../../kernel/act.ts';
import { mintCode, redeemCode, type Redeemed } from '../code/one-time.ts';
import type { SignedIn } from '../login/finish.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { SsoProof } from '../../kernel/sso.ts';
import { createSession } from '../session/create.ts';

export interface RedeemCliSession {
  code: string;
  session: string | undefined;
  /** Cookie of an earlier confirmation: the same browser. */
  confirmCookie: string | undefined;
}

export interface ToConfirm {
  confirm: { token: string; expiresAt: Date };
  user: UsersRow;
  redirectTo: string;
}

/** `sso`: how the person whose link it is had signed in; their new session counts as that one. */
const Payload = z.object({ redirect_to: z.string(), sso: SsoProof.optional() });

export async function redeemCliSession(ctx: Ctx, input: RedeemCliSession): Promise<SignedIn | ToConfirm> {
  // The code is the right to it; createSession writes the row.
  return system(ctx, async (ctx) => {
    const { actor } = ctx;
    const confirmToken = newSecret();
    const caller = actor.kind === 'user' ? `user:${personOf(actor)}` : browser(confirmToken);
    const earlier = input.confirmCookie === undefined ? undefined : browser(input.confirmCookie);
    const row = rowOf(await redeemCode(ctx.db, { kind: 'cli_session', code: input.code, by: caller, alsoKnownAs: earlier }, ctx.clock()));
    const { user, redirectTo, sso } = await whoFor(ctx.db, row);
    if (actor.kind === 'user' && renews(actor, user, sso)) {
      return { session: await createSession(ctx, { userId: user.user_id, replaces: input.session, sso }), user, redirectTo };
    }
    if (actor.kind === 'user' && actor.via === 'bearer') throw new Forbidden('other_account', 'this code belongs to another account: redeem it in a browser');
    const confirm = await mintCode(
      ctx.db,
      { kind: 'cli_confirm', code: confirmToken, userId: user.user_id, payload: { redirect_to: redirectTo, sso } },
      ctx.clock(),
    );
    return { confirm: { token: confirm.code, expiresAt: confirm.expiresAt }, user, redirectTo };
  });
}

/** The same person, acting for the same: a link that acts for less, or for more, is asked about first. */
function renews(actor: UserActor, { user_id }: UsersRow, sso: SsoProof | undefined): boolean {
  const limit = (of: SsoProof | undefined): string | undefined => (of?.whole ? undefined : of?.connection_id);
  return personOf(actor) === user_id && limit(actor.sso) === limit(sso);
}

/** The person at the browser said yes. */
export async function confirmCliSession(ctx: Ctx, input: { cookie: string | undefined; session: string | undefined }): Promise<SignedIn> {
  const { cookie } = input;
  if (cookie === undefined) throw new Forbidden('nothing_to_confirm', 'open the sign-in link in this browser first');
  // The code is the right to it; createSession writes the row.
  return system(ctx, async (ctx) => {
    const row = rowOf(await redeemCode(ctx.db, { kind: 'cli_confirm', code: cookie, by: browser(cookie) }, ctx.clock()), 'gone');
    const { user, redirectTo, sso } = await whoFor(ctx.db, row);
    return { session: await createSession(ctx, { userId: user.user_id, replaces: input.session, sso }), user, redirectTo };
  });
}

/** Who would be signed in by the confirmation a browser holds; undefined when there is nothing to confirm. */
export async function pendingConfirmation(ctx: Ctx, cookie: string): Promise<UsersRow | undefined> {
  return ctx
    .db('one_time_codes as c')
    .join('users as u', 'u.user_id', 'c.user_id')
    .where({ 'c.code_hash': hashSecret(cookie), 'c.kind': 'cli_confirm' })
    .whereNull('c.used_at')
    .where('c.expires_at', '>', new Date(ctx.clock()))
    .first('u.*');
}

function rowOf(redeemed: Redeemed, repeated: 'conflict' | 'gone' = 'conflict'): OneTimeCodesRow {
  if (redeemed.state === 'redeemed') return redeemed.row;
  if (redeemed.state === 'unknown') throw new Forbidden('code_unknown', 'This code was never issued: request a new one');
  if (redeemed.state === 'just_used' && repeated === 'conflict')
    throw new Conflict('code_just_used', 'You used this code a moment ago: continue on the page it opened');
  throw new Gone('code_gone', 'This code was used or has expired: request a new one');
}

async function whoFor(db: Ctx['db'], row: OneTimeCodesRow): Promise<{ user: UsersRow; redirectTo: string; sso: SsoProof | undefined }> {
  const user = await db('users')
    .where({ user_id: row.user_id ?? '' })
    .first();
  if (!user) throw new Gone('code_gone', 'The account of this code no longer exists');
  const { redirect_to: redirectTo, sso } = Payload.parse(row.payload);
  return { user, redirectTo, sso };
}

function browser(token: string): string {
  return `browser:${hashSecret(token)}`;
}
