// An organization connects its identity provider, or changes the connection.
import { domainToASCII } from 'node:url';
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { OrganizationSsoIn } from '#contract/orgs/sso.ts';
import type { SsoConnectionsRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway, BadRequest, Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockMembers } from '../member/find.ts';
import { organizationFor, organizationNamed } from '../organization/find.ts';
import { type OrganizationSso, redirectUri, shownSso, ssoSecretContext, verifiedOf } from './connection.ts';
import { endConnection } from './end.ts';

type Wanted = z.infer<typeof OrganizationSsoIn>;

/**
 * @throws BadRequest sso_issuer_refused, sso_secret_missing; Conflict sso_domain_unproved; BadGateway
 * identity_provider_failed
 */
export async function putSso(ctx: Ctx, { slug, ...i }: { slug: string } & Wanted): Promise<OrganizationSso> {
  await organizationFor(ctx.db, ctx.actor, 'organization.manage', slug);
  const wanted = { ...i, issuer: issuerOf(ctx, i.issuer), domains: [...new Set(i.domains.map((one) => domainToASCII(one).toLowerCase()))] };
  await requireProvider(ctx, slug, wanted);
  return act(ctx, 'organization.manage', organizationNamed(slug), async (ctx, { organization_id }) => {
    await lockMembers(ctx.db, organization_id);
    await requireProved(ctx.db, organization_id, wanted.domains);
    const before = await ctx.db('sso_connections').where({ organization_id }).first();
    const same = before !== undefined && before.issuer === wanted.issuer && before.client_id === wanted.client_id;
    const { connection_id, created_at } = same ? before : { connection_id: newId('sso', ctx.clock()), created_at: new Date(ctx.clock()) };
    if (before && !same) await endConnection(ctx.db, before, ctx.clock());
    const { issuer, client_id, domains, default_role, makes_members, session_hours } = wanted;
    const row = { issuer, client_id, domains, default_role, makes_members, session_hours, updated_at: new Date(ctx.clock()) };
    const encryptedSecret = await encryptSecret(ctx, wanted.client_secret, connection_id, same ? before : undefined);
    await ctx
      .db('sso_connections')
      .insert({ connection_id, organization_id, created_at, ...row, secret_sealed: encryptedSecret })
      .onConflict('connection_id')
      .merge({ ...row, secret_sealed: encryptedSecret });
    const details = { issuer, client_id, domains, default_role, makes_members, session_hours, secret: wanted.client_secret !== undefined, replaces: !same };
    const shown = await shownSso(ctx, { organization_id, slug });
    return done({ sso_connection: connection_id }, details, shown, { action: 'organization.sso_connect' });
  });
}

/** In one spelling: people are found by it. @throws BadRequest sso_issuer_refused */
function issuerOf(ctx: Ctx, given: string): string {
  const url = new URL(given);
  const issuer = url.pathname === '/' ? url.origin : url.href;
  const problem = ctx.drivers.sso.problemOf(issuer);
  if (problem !== undefined) throw new BadRequest('sso_issuer_refused', `The issuer ${problem}`);
  // Of its people the installation has accounts: nobody else's connection says who they are.
  const own = [ctx.config.baseUrl, ctx.drivers.login?.issuer].flatMap((one) => (one === undefined ? [] : [new URL(one).host]));
  if (own.includes(url.host))
    throw new BadRequest('sso_issuer_refused', 'The issuer is that of this installation: everybody signs in by it without a connection');
  return issuer;
}

/** @throws BadGateway identity_provider_failed */
async function requireProvider(ctx: Ctx, slug: string, { issuer, client_id }: Wanted): Promise<void> {
  const client = { issuer, clientId: client_id, clientSecret: 'is not sent', redirectUri: redirectUri(ctx, slug) };
  await ctx.drivers.sso.authorizationUrl(client, { state: 'trial', nonce: 'trial', codeVerifier: 'trial'.repeat(10) }).catch((error: unknown) => {
    const cause = error instanceof Error ? error.message : 'no answer';
    throw new BadGateway('identity_provider_failed', `${issuer}/.well-known/openid-configuration cannot be used (${cause}): check the issuer`);
  });
}

/** @throws Conflict sso_domain_unproved */
async function requireProved(tx: Knex.Transaction, organizationId: string, domains: readonly string[]): Promise<void> {
  const verified = await verifiedOf(tx, organizationId, domains);
  const missing = domains.find((one) => !verified.includes(one));
  if (missing !== undefined) throw new Conflict('sso_domain_unproved', `${missing} is no verified domain of the organization: claim and verify it first`);
}

/** @throws BadRequest sso_secret_missing */
async function encryptSecret({ drivers }: Ctx, secret: string | undefined, connectionId: string, before: SsoConnectionsRow | undefined): Promise<string> {
  if (secret !== undefined) return drivers.vault.seal(Buffer.from(secret), ssoSecretContext(connectionId));
  if (before) return before.secret_sealed;
  throw new BadRequest('sso_secret_missing', 'A connection to another issuer or client needs its client_secret');
}
