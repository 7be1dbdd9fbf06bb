// The certificate of one custom domain, step by step: each step looks at the rows, does one thing at the
// authority, and says when it is to come again. A process may end between any two things: the row says what
// is open, so that there is one order at a time.
import type { AgentDomainsRow, DomainCertificatesRow } from '#db/tables.ts';
import { type AcmeAccount, AuthorityRefused, type CertificateAuthority, type Challenge } from '#drivers/certificates/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { acmeAccount } from './account.ts';
import { mayOrder } from './may-order.ts';
import { challengeName } from './challenge.ts';
import { isWildcard } from './hostname.ts';
import { noteProblem } from './note.ts';
import { failOrder, keepCertificate, openOrder } from './orders.ts';
import { type KnownDomain, ownedDomain } from './prove.ts';
import { suggested, unfit } from './renewal.ts';
import { certificateKeyContext } from './resolve-host.ts';
import { revokeRemoved } from './revoke.ts';

export const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** The authority looks, signs, or takes a breath. */
const SOON_MS = 2_000;
/**
 * An order is given up after this: by http it takes seconds, and authorities let go of open orders after a
 * week.
 */
const ORDER_MS = { http: 2 * 60 * MINUTE_MS, dns: 6 * DAY_MS };

/** Milliseconds until the next step; null: the domain is gone, and its certificate with it. */
export async function certificateStep(ctx: Ctx, domainId: string): Promise<number | null> {
  const known = await ownedDomain(ctx.db, domainId);
  if (!known) return null;
  const { certificates: authority } = ctx.drivers;
  if (known.domain.state === 'removed') return revokeRemoved(ctx, known.domain);
  if (known.domain.state !== 'active' || !authority) return DAY_MS;
  try {
    const order = (await openCertificate(ctx, domainId)) ?? (await begin(ctx, authority, known));
    return typeof order === 'number' ? order : await follow(ctx, authority, known.domain, order);
  } catch (error) {
    if (!(error instanceof AuthorityRefused)) throw error;
    await noteProblem(ctx, domainId, `The certificate authority ${error.away ? 'could not be reached' : `says: ${error.message}`}`);
    return error.away ? MINUTE_MS : 10 * MINUTE_MS;
  }
}

function openCertificate({ db }: Ctx, domainId: string): Promise<DomainCertificatesRow | undefined> {
  return db('domain_certificates').where({ domain_id: domainId, state: 'ordered' }).first();
}

/** A new order, or the time until there may be one. */
async function begin(ctx: Ctx, authority: CertificateAuthority, known: KnownDomain): Promise<DomainCertificatesRow | number> {
  const { domain_id } = known.domain;
  const issued = await ctx.db('domain_certificates').where({ domain_id, state: 'issued' }).first();
  const now = ctx.clock();
  if (issued?.chain && issued.renew_at) {
    const earlier = await suggested(authority, issued.chain, Math.random());
    const due = Math.min(issued.renew_at.getTime(), earlier ?? Infinity);
    if (due < issued.renew_at.getTime())
      await ctx
        .db('domain_certificates')
        .where({ certificate_id: issued.certificate_id, state: 'issued' })
        .update({ renew_at: new Date(due) });
    if (due > now) return Math.min(due - now, DAY_MS);
  }
  const wait = await mayOrder(ctx, authority, known);
  return wait ?? openOrder(ctx, authority, domain_id);
}

async function follow(ctx: Ctx, authority: CertificateAuthority, domain: AgentDomainsRow, row: DomainCertificatesRow): Promise<number> {
  const { hostname } = domain;
  const limit = isWildcard(hostname) ? ORDER_MS.dns : ORDER_MS.http;
  if (row.created_at.getTime() + limit < ctx.clock()) return failOrder(ctx, row, 'it did not come to an end in time');
  const account = await acmeAccount(ctx, authority, { register: row.order_url === null });
  const url = row.order_url ?? (await place(ctx, authority, account, { hostname, row }));
  const order = await authority.look(account, url);
  switch (order.status) {
    case 'invalid':
      return failOrder(ctx, row, order.problem ?? 'the certificate authority refused the order');
    case 'pending':
      return order.challenge ? answer(ctx, authority, account, { domain, row, challenge: order.challenge }) : SOON_MS;
    case 'ready': {
      const key = await keyOf(ctx, row);
      if (key === undefined) return failOrder(ctx, row, 'its key is gone');
      await authority.finalize(account, url, { hostname, key });
      return SOON_MS;
    }
    case 'processing':
      return SOON_MS;
    case 'valid': {
      const [key, chain] = [await keyOf(ctx, row), await authority.download(account, url)];
      // The one before it is served on.
      const fault = key === undefined ? 'its key is gone' : unfit(chain, hostname, key, ctx.clock());
      if (fault !== undefined) return failOrder(ctx, row, fault);
      await keepCertificate(ctx, row, domain, chain);
      return SOON_MS;
    }
  }
}

/** PEM. */
async function keyOf(ctx: Ctx, { key_sealed, certificate_id }: DomainCertificatesRow): Promise<string | undefined> {
  if (key_sealed === null) return undefined;
  return Buffer.from(await ctx.drivers.vault.open(key_sealed, certificateKeyContext(certificate_id))).toString();
}

/** The first to place the order has it: an address that came later is forgotten. */
async function place(
  ctx: Ctx,
  authority: CertificateAuthority,
  account: AcmeAccount,
  { hostname, row }: { hostname: string; row: DomainCertificatesRow },
): Promise<string> {
  const mine = ctx.db('domain_certificates').where({ certificate_id: row.certificate_id });
  const url = await authority.open(account, hostname);
  await mine.clone().whereNull('order_url').update({ order_url: url });
  return (await mine.clone().first('order_url'))?.order_url ?? url;
}

async function answer(
  ctx: Ctx,
  authority: CertificateAuthority,
  account: AcmeAccount,
  { domain, row, challenge }: { domain: AgentDomainsRow; row: DomainCertificatesRow; challenge: Challenge },
): Promise<number> {
  if (challenge.status !== 'pending') return SOON_MS;
  const { type, url, token, value } = challenge;
  // First it can be read here, then the authority is asked to look.
  await ctx
    .db('domain_certificates')
    .where({ certificate_id: row.certificate_id, state: 'ordered' })
    .update({ challenge: JSON.stringify({ type, url, token, value }), challenge_token: token });
  if (type === 'dns-01' && !(await isInDns(ctx, domain, value))) {
    const since = ctx.clock() - row.created_at.getTime();
    return since < 60 * MINUTE_MS ? MINUTE_MS / 2 : 10 * MINUTE_MS;
  }
  await authority.answer(account, challenge);
  return SOON_MS;
}

async function isInDns(ctx: Ctx, { domain_id, hostname }: AgentDomainsRow, value: string): Promise<boolean> {
  const name = challengeName(hostname);
  const values = await ctx.drivers.dns.txt(name).catch(() => undefined);
  const isPublished = values?.includes(value) ?? false;
  const state = values === undefined ? 'unanswered' : isPublished ? 'found' : values.length === 0 ? 'missing' : 'different';
  const seen = JSON.stringify({ certificate: { state, values: (values ?? []).slice(0, 20).map((one) => one.slice(0, 300)) } });
  await ctx
    .db('agent_domains')
    .where({ domain_id })
    .update({ seen: ctx.db.raw('seen || ?::jsonb', [seen]) });
  await noteProblem(ctx, domain_id, isPublished ? null : `The certificate authority waits for the TXT record ${name}: add it with the value shown`);
  return isPublished;
}
