// Whether a certificate can be asked for now. Authorities count what fails: an order that cannot succeed is
// not placed.
import type { AgentDomainsRow } from '#db/tables.ts';
import { AuthorityRefused, type CertificateAuthority } from '#drivers/certificates/port.ts';
import type { DnsResolver } from '#drivers/dns/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { baseOf, displayName, isWildcard } from './hostname.ts';
import { type OwnedDomain, lookAt } from './look.ts';
import { noteProblem } from './note.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * After the first failures of a day: the first may be of the platform itself, and authorities allow five an
 * hour for a name (Let's Encrypt, rate limits).
 */
const WAITS_MS = [MINUTE_MS, 20 * MINUTE_MS];
const AGAIN_MS = 5 * MINUTE_MS;

/** Milliseconds to wait; undefined: it can. */
export async function mayOrder(ctx: Ctx, authority: CertificateAuthority, owned: OwnedDomain & { domain: AgentDomainsRow }): Promise<number | undefined> {
  const { domain } = owned;
  const wait = await afterFailures(ctx, domain.domain_id);
  if (wait > 0) return wait;
  const problem = (await forbidden(ctx.drivers.dns, authority, domain.hostname)) ?? (await notHere(ctx, owned));
  if (problem === undefined) return undefined;
  await noteProblem(ctx, domain.domain_id, problem);
  return AGAIN_MS;
}

/** Soon after the first failure of a day, then after an hour, then twice as long each time. */
async function afterFailures({ db, clock }: Ctx, domainId: string): Promise<number> {
  const failed = await db('domain_certificates')
    .where({ domain_id: domainId, state: 'failed' })
    .where('ended_at', '>', new Date(clock() - DAY_MS))
    .orderBy('ended_at', 'desc')
    .select('ended_at');
  const last = failed[0]?.ended_at?.getTime();
  if (last === undefined) return 0;
  return last + (WAITS_MS[failed.length - 1] ?? Math.min(HOUR_MS * 2 ** (failed.length - WAITS_MS.length - 1), DAY_MS)) - clock();
}

/** The nearest name above that says something of it decides (RFC 8659, 3). */
async function forbidden(dns: DnsResolver, authority: CertificateAuthority, hostname: string): Promise<string | undefined> {
  const ours = await authority.caaNames().catch((error: unknown): string[] => {
    if (error instanceof AuthorityRefused) return [];
    throw error;
  });
  if (ours.length === 0) return undefined;
  const labels = baseOf(hostname).split('.');
  for (let at = 0; at < labels.length; at += 1) {
    const name = labels.slice(at).join('.');
    const allowed = await dns.issuers(name, isWildcard(hostname)).catch(() => undefined);
    if (allowed === undefined) continue;
    if (allowed.some((one) => ours.includes(one))) return undefined;
    return `The CAA records of ${name} do not let the certificate authority issue: add one with the value ${ours.join(' or ')}`;
  }
  return undefined;
}

/** The authority connects to the name itself; for a wildcard it only asks the DNS. */
async function notHere({ drivers, config }: Ctx, owned: OwnedDomain): Promise<string | undefined> {
  const { hostname } = owned.domain;
  if (isWildcard(hostname)) return undefined;
  const { routing } = await lookAt(drivers.dns, config, owned);
  if (routing.state === 'found') return undefined;
  const destination = routing.values.length === 0 ? 'nowhere' : `to ${routing.values.slice(0, 3).join(', ')}`;
  return `${displayName(hostname)} leads ${destination} and not here: a certificate is asked for once it does`;
}
