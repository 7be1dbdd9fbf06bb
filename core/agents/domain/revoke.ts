// After a domain was removed: its certificates are revoked, then nothing of it stays but the audit log.
import type { AgentDomainsRow } from '#db/tables.ts';
import { AuthorityRefused } from '#drivers/certificates/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { acmeAccount } from './account.ts';

const AGAIN_MS = 3_600_000;

/**
 * Milliseconds until the next try; null: done. A certificate that cannot be revoked is tried until it
 * expires.
 */
export async function revokeRemoved(ctx: Ctx, { domain_id, hostname }: AgentDomainsRow): Promise<number | null> {
  const { certificates: authority } = ctx.drivers;
  const valid = await ctx
    .db('domain_certificates')
    .where({ domain_id })
    .whereIn('state', ['issued', 'replaced'])
    .where('not_after', '>', new Date(ctx.clock()))
    .select('certificate_id', 'chain');
  for (const { certificate_id, chain } of authority ? valid : []) {
    if (!authority || chain === null) continue;
    try {
      await authority.revoke(await acmeAccount(ctx, authority, { register: false }), chain);
    } catch (error) {
      if (!(error instanceof AuthorityRefused)) throw error;
      if (!/already.*revoked/i.test(error.message)) return AGAIN_MS;
    }
    await system(ctx, async (ctx) => {
      await ctx
        .db('domain_certificates')
        .where({ certificate_id })
        .update({ state: 'revoked', key_sealed: null, ended_at: new Date(ctx.clock()) });
      await audit(ctx, 'certificate.revoked', { certificate: certificate_id }, { domain_id, hostname });
    });
  }
  await system(ctx, async (ctx) => {
    await ctx.db('domain_certificates').where({ domain_id }).delete();
    await ctx.db('agent_domains').where({ domain_id, state: 'removed' }).delete();
  });
  return null;
}
