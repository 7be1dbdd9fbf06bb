// Checks the DNS and acts on the result. Organizations that claim one domain are decided on one after the
// other; only the record decides.
import type { OrganizationDomainsRow } from '#db/tables.ts';
import { DnsUnanswered } from '#drivers/dns/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { BadGateway, Conflict } from '../../kernel/errors.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { organizationFor } from '../organization/find.ts';
import { domainOf, type OrganizationDomain, presentDomain, recordName, recordValue } from './domains.ts';

const DAY_MS = 86_400_000;
/** Looks in a row, a day apart, that did not find the record of a verified domain. */
const FAILURES = 2;
const A_ROUND = 20;

/**
 * @throws NotFound organization_domain_not_found; Conflict organization_domain_taken; BadGateway
 * organization_domain_unanswered
 */
export async function verifyOrganizationDomain(ctx: Ctx, i: { slug: string; domain: string }): Promise<OrganizationDomain> {
  const { organization_id, actor } = await organizationFor(ctx.db, ctx.actor, 'organization.manage', i.slug);
  const row = await domainOf(ctx.db, organization_id, i.domain);
  const seen = await recordsOf(ctx, row.domain);
  if (seen === undefined) throw new BadGateway('organization_domain_unanswered', `The name servers did not answer for ${recordName(row.domain)}: try again`);
  const after = await follow({ ...ctx, actor }, row, seen, { daily: false });
  if (after === 'taken')
    throw new Conflict('organization_domain_taken', `Another organization has verified ${row.domain}, and its record is still there: remove that record first`);
  return presentDomain(await domainOf(ctx.db, organization_id, i.domain));
}

/** Once a day for each that was verified; one that lapsed comes back with its record. */
export async function recheckDomains(ctx: Ctx): Promise<void> {
  const due = await ctx
    .db('organization_domains')
    .whereNot({ state: 'pending' })
    .where('checked_at', '<', new Date(ctx.clock() - DAY_MS))
    .orderBy('checked_at')
    .limit(A_ROUND);
  for (const row of due) {
    const seen = await recordsOf(ctx, row.domain);
    // Name servers that are silent prove nothing, and refute nothing.
    if (seen !== undefined) await follow(ctx, row, seen, { daily: true });
    else
      await ctx
        .db('organization_domains')
        .where({ domain_id: row.domain_id })
        .update({ checked_at: new Date(ctx.clock() - DAY_MS + 3_600_000) });
  }
}

async function recordsOf({ drivers }: Ctx, domain: string): Promise<string[] | undefined> {
  return drivers.dns.txt(recordName(domain)).catch((error: unknown) => {
    if (error instanceof DnsUnanswered) return undefined;
    throw error;
  });
}

async function follow(ctx: Ctx, { domain_id, domain }: OrganizationDomainsRow, seen: string[], { daily }: { daily: boolean }): Promise<'done' | 'taken'> {
  // The platform follows what the DNS says; verifyDomain asks for its callers.
  return system(ctx, async (ctx) => {
    await lockName(ctx.db, `organization domain ${domain}`);
    const row = await ctx.db('organization_domains').where({ domain_id }).forUpdate().first();
    if (!row) return 'done';
    const checked_at = new Date(ctx.clock());
    const mine = ctx.db('organization_domains').where({ domain_id });
    if (!seen.includes(recordValue(row))) {
      const failures = row.failures + (daily ? 1 : 0);
      const problem = seen.length === 0 ? `There is no TXT record ${recordName(domain)}: add it` : `The TXT record ${recordName(domain)} has another value`;
      await mine.update({ checked_at, problem, failures });
      if (row.state === 'verified' && failures >= FAILURES) await lapse(ctx, row);
      return 'done';
    }
    if (row.state === 'verified') {
      await mine.update({ checked_at, problem: null, failures: 0 });
      return 'done';
    }
    const holder = await ctx.db('organization_domains').where({ domain, state: 'verified' }).forUpdate().first();
    if (holder && seen.includes(recordValue(holder))) {
      await mine.update({ checked_at, problem: 'Another organization has verified it, and its record is still there' });
      return 'taken';
    }
    if (holder) await lapse(ctx, holder);
    await mine.update({ state: 'verified', verified_at: checked_at, checked_at, problem: null, failures: 0 });
    await audit(ctx, 'organization.domain_verified', { organization_domain: domain_id }, { domain }, row.organization_id);
    return 'done';
  });
}

async function lapse(ctx: TxCtx, row: OrganizationDomainsRow): Promise<void> {
  await ctx.db('organization_domains').where({ domain_id: row.domain_id }).update({ state: 'lapsed' });
  // In the log of the organization that loses it: not who made the other look.
  await audit(
    { ...ctx, actor: { kind: 'platform', service: 'housekeeping' } },
    'organization.domain_lapsed',
    { organization_domain: row.domain_id },
    { domain: row.domain },
    row.organization_id,
  );
}
