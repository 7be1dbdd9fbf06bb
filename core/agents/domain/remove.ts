import type { AgentDomainsRow } from '#db/tables.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { domainChanged } from './changed.ts';
import { domainNamed } from './find.ts';
import { moveDomain } from './states.ts';
import { wakeDomain } from './workflows.ts';

/** The agent does not answer there with the commit; the certificate is revoked right after. */
export async function removeDomain(ctx: Ctx, i: { name: string; hostname: string }): Promise<void> {
  await act(ctx, 'domain.remove', domainNamed(i), async (ctx, { agent, domain }) => {
    await forget(ctx, domain);
    return done({ domain: domain.domain_id }, { agent_id: agent.agent_id, hostname: domain.hostname });
  });
}

/** Of an agent that is deleted. */
export async function removeDomainsOf(ctx: TxCtx, agentId: string): Promise<void> {
  for (const domain of await ctx.db('agent_domains').where({ agent_id: agentId }).whereNot({ state: 'removed' })) await forget(ctx, domain);
}

async function forget(ctx: TxCtx, domain: AgentDomainsRow): Promise<void> {
  // Certificates have to be revoked first: the row goes with them. An order that is open is given up.
  await ctx.db('domain_certificates').where({ domain_id: domain.domain_id, state: 'ordered' }).delete();
  const certified = await ctx.db('domain_certificates').where({ domain_id: domain.domain_id, state: 'issued' }).first('certificate_id');
  if (certified) await moveDomain(ctx.db, domain.domain_id, 'removed');
  else {
    await ctx.db('domain_certificates').where({ domain_id: domain.domain_id }).delete();
    await ctx.db('agent_domains').where({ domain_id: domain.domain_id }).delete();
  }
  await domainChanged(ctx.db, domain.hostname);
  await wakeDomain(ctx, domain);
}
