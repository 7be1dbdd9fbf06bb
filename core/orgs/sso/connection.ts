// The connection of an organization to its identity provider, as it is kept, used and shown.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { OrganizationSsoOut } from '#contract/orgs/sso.ts';
import type { SsoConnectionsRow } from '#db/tables.ts';
import type { SsoClient } from '#drivers/idp/sso.ts';
import { type Ctx, personOf } from '../../kernel/ctx.ts';
import { NotFound } from '../../kernel/errors.ts';
import { ssoPath } from '../../kernel/sso.ts';
import { organizationFor } from '../organization/find.ts';

export type OrganizationSso = z.infer<typeof OrganizationSsoOut>;

export function ssoSecretContext(connectionId: string): string {
  return `sso_connections:${connectionId}:secret`;
}

/**
 * An address of its own for each organization: a code that another provider's page sends here is no answer of
 * this one's.
 */
export function redirectUri({ config }: Pick<Ctx, 'config'>, slug: string): string {
  return `${config.baseUrl}/v1/auth/sso/callback/${slug}`;
}

export async function clientOf(ctx: Pick<Ctx, 'config' | 'drivers'>, row: Connection): Promise<SsoClient> {
  const secret = await ctx.drivers.vault.open(row.secret_sealed, ssoSecretContext(row.connection_id));
  return { issuer: row.issuer, clientId: row.client_id, clientSecret: Buffer.from(secret).toString(), redirectUri: redirectUri(ctx, row.slug) };
}

export type Connection = SsoConnectionsRow & { slug: string };

/** Rows `c`, of organizations `o`. */
export function selectConnections(db: Knex): Knex.QueryBuilder<Connection, Connection[]> {
  return db('sso_connections as c').join('organizations as o', 'o.organization_id', 'c.organization_id').select('c.*', 'o.slug');
}

/** @throws NotFound sso_not_configured */
export async function connectionFor(db: Knex, organizationId: string): Promise<SsoConnectionsRow> {
  const row = await db('sso_connections').where({ organization_id: organizationId }).first();
  if (!row) throw new NotFound('sso_not_configured', 'The organization has connected no identity provider: an owner or admin connects one');
  return row;
}

/** Those of these domains that the organization has verified, now. */
export async function verifiedOf(db: Knex, organizationId: string, domains: readonly string[]): Promise<string[]> {
  const rows = await db('organization_domains').where({ organization_id: organizationId, state: 'verified' }).whereIn('domain', domains).select('domain');
  return rows.map(({ domain }) => domain);
}

export async function getSso(ctx: Ctx, { slug }: { slug: string }): Promise<OrganizationSso> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.read', slug);
  return shownSso(ctx, { organization_id, slug });
}

/** Of the reader. */
async function linkedAt({ db, actor }: Ctx, organization_id: string): Promise<string | null> {
  if (actor.kind !== 'user') return null;
  const row = await db('sso_identities')
    .where({ organization_id, user_id: personOf(actor) })
    .max<{ at: Date | null }[]>('linked_at as at')
    .first();
  return row?.at?.toISOString() ?? null;
}

export async function shownSso(ctx: Ctx, { organization_id, slug }: { organization_id: string; slug: string }): Promise<OrganizationSso> {
  const row = await ctx.db('sso_connections').where({ organization_id }).first();
  const linked_at = await linkedAt(ctx, organization_id);
  const urls = { redirect_uri: redirectUri(ctx, slug), sign_in_url: ctx.config.baseUrl + ssoPath(slug), linked_at };
  if (!row) return { connection: null, ...urls };
  const verified = await verifiedOf(ctx.db, organization_id, row.domains);
  const { connection_id, issuer, client_id, default_role, makes_members, required, session_hours } = row;
  const times = { created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString(), last_used_at: row.last_used_at?.toISOString() ?? null };
  const domains = row.domains.map((domain) => ({ domain, verified: verified.includes(domain) }));
  return { connection: { connection_id, issuer, client_id, domains, default_role, makes_members, required, session_hours, ...times }, ...urls };
}
