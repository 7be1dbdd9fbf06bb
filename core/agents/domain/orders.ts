// The rows of orders and certificates. A key leaves the database only sealed, and is gone with the
// certificate it is for.
import type { AgentDomainsRow, DomainCertificatesRow } from '#db/tables.ts';
import type { CertificateAuthority } from '#drivers/certificates/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { domainChanged } from './changed.ts';
import { lifeOf, renewAt } from './renewal.ts';
import { certificateKeyContext } from './resolve-host.ts';

const SOON_MS = 1_000;
/** Of a key that is not needed any more. */
const GONE = null;

/** Of two that come at once, one is kept; both get that one. */
export async function openOrder(ctx: Ctx, authority: CertificateAuthority, domainId: string): Promise<DomainCertificatesRow | number> {
  const certificate_id = newId('crt', ctx.clock());
  const encryptedKey = await ctx.drivers.vault.seal(Buffer.from(await authority.newKey()), certificateKeyContext(certificate_id));
  const rows = ctx.db('domain_certificates');
  const row = { certificate_id, domain_id: domainId, key_sealed: encryptedKey, created_at: new Date(ctx.clock()) };
  await rows.clone().insert(row).onConflict(ctx.db.raw("(domain_id) where state = 'ordered'")).ignore();
  return (await rows.clone().where({ domain_id: domainId, state: 'ordered' }).first()) ?? SOON_MS;
}

/** From now on it is served; the one before it was served until now. */
export async function keepCertificate(ctx: Ctx, row: DomainCertificatesRow, domain: AgentDomainsRow, chain: string): Promise<void> {
  const life = lifeOf(chain);
  const now = new Date(ctx.clock());
  const { domain_id, certificate_id } = row;
  await system(ctx, async (ctx) => {
    const still = await ctx.db('domain_certificates').where({ certificate_id, state: 'ordered' }).forUpdate().first('certificate_id');
    if (!still) return;
    await ctx.db('domain_certificates').where({ domain_id, state: 'issued' }).update({ state: 'replaced', key_sealed: GONE, ended_at: now });
    await ctx
      .db('domain_certificates')
      .where({ certificate_id })
      .update({
        state: 'issued',
        chain,
        issued_at: now,
        not_after: new Date(life.to),
        renew_at: new Date(renewAt(life, Math.random())),
        challenge: null,
        challenge_token: null,
      });
    await ctx
      .db('agent_domains')
      .where({ domain_id })
      .update({ certificate_problem: null, seen: ctx.db.raw("seen - 'certificate'") });
    await audit(ctx, 'certificate.issued', { certificate: certificate_id }, { domain_id, hostname: domain.hostname });
    await domainChanged(ctx.db, domain.hostname);
  });
}

/** Milliseconds until it is seen when another may be placed. */
export async function failOrder(ctx: Ctx, { certificate_id, domain_id }: DomainCertificatesRow, problem: string): Promise<number> {
  await system(ctx, async (ctx) => {
    const failed = await ctx
      .db('domain_certificates')
      .where({ certificate_id, state: 'ordered' })
      .update({ state: 'failed', key_sealed: GONE, challenge: null, challenge_token: null, ended_at: new Date(ctx.clock()) });
    if (failed === 0) return;
    await ctx
      .db('agent_domains')
      .where({ domain_id })
      .update({ certificate_problem: `The last order failed: ${problem}`, seen: ctx.db.raw("seen - 'certificate'") });
    await audit(ctx, 'certificate.failed', { certificate: certificate_id }, { domain_id, problem });
  });
  return SOON_MS;
}
