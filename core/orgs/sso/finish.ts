// An organization's identity provider sent the browser back: check everything, find the account, and start a
// session that says by whom it was made.
import type { Knex } from 'knex';
import { memberActor } from '../../accounts/acting.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import { withControl } from '../../accounts/control.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { ssoPath, type SsoProof } from '../../kernel/sso.ts';
import { mintCode, redeemCode } from '../../identity/code/one-time.ts';
import { callbackQuery, asRefusal, elsewhere, type FinishLogin, type SignedIn } from '../../identity/login/finish.ts';
import { loginSecrets } from '../../identity/login/start.ts';
import { createSession } from '../../identity/session/create.ts';
import { findSession } from '../../identity/session/find.ts';
import { lockMembers } from '../member/find.ts';
import { ssoAccount, type Person, requireNotOfOwner } from './account.ts';
import { clientOf, type Connection, selectConnections, verifiedOf } from './connection.ts';
import { requireAddress } from './email.ts';
import { ensureMember } from './member.ts';
import { SsoAttempt } from './start.ts';

/** `session` absent: a program gets a code, at `redirectTo`. */
export type SsoSignedIn = Omit<SignedIn, 'session'> & { session?: SignedIn['session']; expiresAt: Date };

/**
 * @throws BadRequest callback_incomplete; Unauthorized sign_in_refused; BadGateway identity_provider_failed;
 * Forbidden sign_in_not_begun_here, sso_email_refused, sso_domain_refused, sso_not_a_member, sso_link_first,
 * membership_suspended, account_suspended; Conflict sso_identity_taken; PaymentRequired seats_taken
 */
export async function finishSso(ctx: Ctx, { slug, query, cookie, session }: FinishLogin & { slug: string }): Promise<SsoSignedIn> {
  const { state } = query;
  const again = ssoPath(slug);
  if (state === undefined || (query.code === undefined && query.error === undefined))
    throw new BadRequest('callback_incomplete', `Only the identity provider calls this address: start at ${again}`);
  if (cookie === undefined) throw elsewhere(again);
  const redeemed = await redeemCode(ctx.db, { kind: 'sso_state', code: state, audience: hashSecret(cookie), by: 'callback' }, ctx.clock());
  if (redeemed.state !== 'redeemed') throw elsewhere(again);
  const attempt = SsoAttempt.parse(redeemed.row.payload);
  const connection = await connectionOf(ctx.db, attempt, slug);
  // The answer belongs to another organization's sign-in, or its connection no longer exists.
  if (!connection) throw elsewhere(again);
  const answer = { state, ...loginSecrets(cookie, state), query: callbackQuery(query) };
  const identity = await ctx.drivers.sso.finish(await clientOf(ctx, connection), answer).catch((error: unknown) => {
    throw asRefusal(error, again);
  });
  // The organization's identity provider has said who it is.
  return system(ctx, async (ctx) => {
    await lockMembers(ctx.db, connection.organization_id);
    // It may have been removed or changed while the provider was asked.
    const now = await connectionOf(ctx.db, attempt, slug);
    if (!now) throw elsewhere(again);
    if (attempt.link !== undefined) await requireOwnSession(ctx, attempt.link, session, again);
    const email = requireAddress(identity, await verifiedOf(ctx.db, now.organization_id, now.domains), slug);
    return enter(ctx, { connection: now, identity, email, link: attempt.link }, attempt, session);
  });
}

async function connectionOf(db: Knex, { connection_id }: SsoAttempt, slug: string): Promise<Connection | undefined> {
  return selectConnections(db).where('c.connection_id', connection_id).where('o.slug', slug).first();
}

/** The person is still signed in, in this very browser, to the account that they asked to link. */
async function requireOwnSession(ctx: TxCtx, userId: string, session: string | undefined, again: string): Promise<void> {
  const activeSession = session === undefined ? undefined : await findSession(ctx.db, session, ctx.clock());
  if (activeSession?.user.user_id !== userId || activeSession.proof.sso !== undefined) throw elsewhere(again);
}

async function enter(ctx: TxCtx, person: Person, attempt: SsoAttempt, replaces: string | undefined): Promise<SsoSignedIn> {
  const { connection_id, organization_id } = person.connection;
  const { user, known, linked } = await ssoAccount(ctx, person);
  const done = await ensureMember(ctx, person, { userId: user.user_id, known });
  if (!linked) await requireNotOfOwner(ctx.db, person, user);
  const sso: SsoProof = { connection_id, at: ctx.clock(), ...(linked && { whole: true }) };
  const limit = linked ? {} : { limited_to: organization_id };
  const actor: UserActor = { kind: 'user', user_id: user.user_id, email: user.email, operator: false, via: 'session', sso, ...limit };
  const acting = await withControl(ctx.db, (await memberActor(ctx.db, actor, { organization_id })) ?? actor);
  await ctx.db('sso_connections').where({ connection_id }).update({ last_used_at: new Date(ctx.clock()) }); // prettier-ignore
  await audit(
    { ...ctx, actor: acting },
    'organization.sso_sign_in',
    { user: user.user_id },
    { email: person.email, done, program: attempt.program !== undefined },
  );
  const { program } = attempt;
  if (program === undefined) {
    const session = await createSession(ctx, { userId: user.user_id, replaces, signedIn: true, sso });
    return { session, user, redirectTo: attempt.redirect_to, expiresAt: session.expiresAt };
  }
  const minted = await mintCode(ctx.db, { kind: 'sso_token', userId: user.user_id, audience: program.challenge, payload: { sso } }, ctx.clock());
  const query = new URLSearchParams({ code: minted.code, state: program.state });
  return { user, redirectTo: `http://127.0.0.1:${program.port}/callback?${query}`, expiresAt: minted.expiresAt };
}
