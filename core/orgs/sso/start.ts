// A sign-in by an organization's own identity provider begins: by its name, by an address, or to link an
// account.
import { z } from 'zod';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, NotFound } from '../../kernel/errors.ts';
import { hashSecret, newSecret } from '../../kernel/secret.ts';
import { freshRequired, signedInFreshly } from '../../kernel/sso.ts';
import { mintCode } from '../../identity/code/one-time.ts';
import { asRefusal } from '../../identity/login/finish.ts';
import { browserOf, loginSecrets } from '../../identity/login/start.ts';
import { organizationFor } from '../organization/find.ts';
import { clientOf, type Connection, connectionFor, selectConnections } from './connection.ts';
import { emailDomain } from './email.ts';

/** What a sign-in that has begun is for. */
export const SsoAttempt = z.object({
  connection_id: z.string(),
  redirect_to: z.string(),
  /** Whose account is linked, by their own will. */
  link: z.string().optional(),
  /** A program on the person's machine waits for a code. */
  program: z.object({ port: z.number(), challenge: z.string(), state: z.string() }).optional(),
});
export type SsoAttempt = z.infer<typeof SsoAttempt>;

export interface SsoRedirect {
  url: string;
  cookie: string;
  expiresAt: Date;
}

export interface StartSso {
  organization?: string | undefined;
  email?: string | undefined;
  redirectTo: string;
  cli?: { port?: number | undefined; challenge?: string | undefined; state?: string | undefined };
  /** The browser's sign-in cookie. */
  cookie: string | undefined;
}

/** @throws BadRequest sso_start_incomplete; NotFound sso_not_found; BadGateway identity_provider_failed */
export async function startSso(ctx: Ctx, { organization, email, redirectTo, cli = {}, cookie }: StartSso): Promise<SsoRedirect> {
  if ((organization === undefined) === (email === undefined))
    throw new BadRequest('sso_start_incomplete', 'Say which organization, or an email address: one of the two');
  const { port, challenge, state } = cli;
  const all = port !== undefined && challenge !== undefined && state !== undefined;
  if (!all && (port ?? challenge ?? state) !== undefined)
    throw new BadRequest('sso_start_incomplete', 'A program sends cli_port, cli_challenge and cli_state, all three');
  const connection = organization === undefined ? await byDomain(ctx, emailDomain(email ?? '')) : await bySlug(ctx, organization);
  if (!connection) throw new NotFound('sso_not_found', 'No organization has a sign-in of its own under this name or for this address: sign in without one');
  const program = all ? { program: { port, challenge, state } } : {};
  return begin(ctx, connection, { connection_id: connection.connection_id, redirect_to: redirectTo, ...program }, cookie, email);
}

/**
 * @throws NotFound sso_not_configured; Forbidden fresh_sign_in_required; BadGateway identity_provider_failed
 */
export async function startLink(ctx: Ctx, { slug, cookie }: { slug: string; cookie: string | undefined }): Promise<SsoRedirect> {
  const { organization_id, actor } = await organizationFor(ctx.db, ctx.actor, 'organization.read', slug, { freshly: 'members' });
  const connection = await connectionFor(ctx.db, organization_id);
  // Who links says who may come in as them: a session that was stolen must not.
  if (!signedInFreshly(actor)) throw freshRequired();
  const attempt = { connection_id: connection.connection_id, redirect_to: `/organizations/${slug}/sso`, link: actor.member.person_id };
  return begin(ctx, { ...connection, slug }, attempt, cookie, actor.email);
}

async function begin(ctx: Ctx, connection: Connection, attempt: SsoAttempt, cookie: string | undefined, loginHint?: string): Promise<SsoRedirect> {
  const browser = browserOf(cookie);
  const state = newSecret();
  const request = { state, ...loginSecrets(browser, state), ...(loginHint === undefined ? {} : { loginHint }) };
  const url = await ctx.drivers.sso.authorizationUrl(await clientOf(ctx, connection), request).catch((error: unknown) => {
    throw asRefusal(error, '/v1/auth/sso/start');
  });
  const { expiresAt } = await mintCode(ctx.db, { kind: 'sso_state', code: state, audience: hashSecret(browser), payload: attempt }, ctx.clock());
  return { url: String(url), cookie: browser, expiresAt };
}

async function bySlug({ db }: Ctx, slug: string): Promise<Connection | undefined> {
  return selectConnections(db).where('o.slug', slug).first();
}

/** A domain is verified for one organization at a time. */
async function byDomain({ db }: Ctx, domain: string): Promise<Connection | undefined> {
  return selectConnections(db)
    .join('organization_domains as d', 'd.organization_id', 'c.organization_id')
    .where({ 'd.domain': domain, 'd.state': 'verified' })
    .whereRaw('c.domains @> array[?]', [domain])
    .first();
}
