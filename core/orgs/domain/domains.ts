// Domains of an organization: claimed by anybody, given by a TXT record to one organization.
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { z } from 'zod';
import { MAX_ORGANIZATION_DOMAINS, type OrganizationDomainOut } from '#contract/orgs/organizations.ts';
import type { OrganizationDomainsRow } from '#db/tables.ts';
import { parseHostname } from '../../agents/domain/hostname.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockMembers } from '../member/find.ts';
import { organizationFor, organizationNamed } from '../organization/find.ts';

export type OrganizationDomain = z.infer<typeof OrganizationDomainOut>;

export async function listOrganizationDomains(ctx: Ctx, { slug }: { slug: string }): Promise<{ items: OrganizationDomain[] }> {
  const { organization_id } = await organizationFor(ctx.db, ctx.actor, 'organization.read', slug);
  return { items: (await ctx.db('organization_domains').where({ organization_id }).orderBy('domain')).map(presentDomain) };
}

/**
 * @throws BadRequest hostname_invalid, hostname_reserved; Conflict organization_domain_exists,
 * too_many_organization_domains
 */
export async function claimDomain(ctx: Ctx, i: { slug: string; domain: string }): Promise<OrganizationDomain> {
  const domain = parseHostname(i.domain, ctx.config);
  if (domain.startsWith('*')) throw new BadRequest('hostname_invalid', `${i.domain} is no domain of addresses: leave the "*." out`);
  return act(ctx, 'organization.manage', organizationNamed(i.slug), async (ctx, { organization_id }) => {
    await lockMembers(ctx.db, organization_id);
    const others = await ctx.db('organization_domains').where({ organization_id }).select('domain');
    if (others.some((other) => other.domain === domain)) throw new Conflict('organization_domain_exists', `The organization has claimed ${domain} already`);
    if (others.length >= MAX_ORGANIZATION_DOMAINS)
      throw new Conflict('too_many_organization_domains', `The organization has ${MAX_ORGANIZATION_DOMAINS} domains, the most it can have: remove some first`);
    const now = ctx.clock();
    const [row] = await ctx
      .db('organization_domains')
      .insert({
        domain_id: newId('dom', now),
        organization_id,
        domain,
        nonce: randomBytes(24).toString('base64url'),
        state: 'pending',
        created_at: new Date(now),
      })
      .returning('*');
    if (!row) throw new Error('an insert returned no row');
    return done({ organization_domain: row.domain_id }, { domain }, presentDomain(row), { action: 'organization.claim_domain' });
  });
}

/** @throws NotFound organization_not_found, organization_domain_not_found; Forbidden role_not_allowed */
export async function releaseDomain(ctx: Ctx, i: { slug: string; domain: string }): Promise<void> {
  await act(ctx, 'organization.manage', organizationNamed(i.slug), async (ctx, { organization_id }) => {
    const { domain_id, domain } = await domainOf(ctx.db, organization_id, i.domain);
    await ctx.db('organization_domains').where({ domain_id }).delete();
    return done({ organization_domain: domain_id }, { domain }, undefined, { action: 'organization.release_domain' });
  });
}

/** @throws NotFound organization_domain_not_found */
export async function domainOf(db: Knex, organizationId: string, domain: string): Promise<OrganizationDomainsRow> {
  const row = await db('organization_domains').where({ organization_id: organizationId, domain: domain.toLowerCase() }).first();
  if (!row) throw new NotFound('organization_domain_not_found', `The organization has not claimed ${domain}`);
  return row;
}

export function recordName(domain: string): string {
  return `_svc-organization.${domain}`;
}

/**
 * The organization, so that the owner of the name sees whom the record admits; the nonce, so that a record of
 * another claim does not count.
 */
export function recordValue({ organization_id, nonce }: Pick<OrganizationDomainsRow, 'organization_id' | 'nonce'>): string {
  return `svc-organization=${organization_id} nonce=${nonce}`;
}

export function presentDomain(row: OrganizationDomainsRow): OrganizationDomain {
  return {
    domain: row.domain,
    state: row.state,
    record: { type: 'TXT', name: recordName(row.domain), value: recordValue(row) },
    problem: row.problem,
    created_at: row.created_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
    checked_at: row.checked_at?.toISOString() ?? null,
  };
}
