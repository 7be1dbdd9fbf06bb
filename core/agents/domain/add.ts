import { randomBytes } from 'node:crypto';
import type { z } from 'zod';
import { type AgentCustomDomainOut, MAX_DOMAINS } from '#contract/agents/domains.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Conflict, PaymentRequired } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { agentNamed } from '../agent/find.ts';
import { displayName, parseHostname } from './hostname.ts';
import { presentDomains } from './present.ts';
import { startProof } from './workflows.ts';

export const PROOF_MS = 72 * 3_600_000;

/**
 * Any user may ask for any name: only the proof gives it.
 * @throws BadRequest hostname_invalid, hostname_reserved; Conflict domain_exists; PaymentRequired
 * domain_limit
 */
export async function addDomain(ctx: Ctx, i: { name: string; hostname: string }): Promise<z.infer<typeof AgentCustomDomainOut>> {
  return act(ctx, 'domain.add', agentNamed(i.name), async (ctx, agent) => {
    const hostname = parseHostname(i.hostname, ctx.config);
    // Those who add at the same time are counted one after the other.
    await ctx.db('agents').where({ agent_id: agent.agent_id }).forUpdate().first('agent_id');
    const others = await ctx.db('agent_domains').where({ agent_id: agent.agent_id }).whereNot({ state: 'removed' }).select('hostname');
    if (others.some((other) => other.hostname === hostname))
      throw new Conflict('domain_exists', `${i.name} has the custom domain ${displayName(hostname)} already`);
    if (others.length >= MAX_DOMAINS)
      throw new PaymentRequired('domain_limit', `${i.name} has ${MAX_DOMAINS} custom domains, the most it can have: remove some first`);
    const now = ctx.clock();
    const [domain] = await ctx
      .db('agent_domains')
      .insert({
        domain_id: newId('dom', now),
        agent_id: agent.agent_id,
        hostname,
        nonce: randomBytes(24).toString('base64url'),
        created_at: new Date(now),
        prove_until: new Date(now + PROOF_MS),
      })
      .returning('*');
    if (!domain) throw new Error('an insert returned no row');
    await startProof(ctx, domain, { ownerId: agent.owner_id, agentName: agent.name });
    const [shown] = await presentDomains(ctx, agent, [domain]);
    if (!shown) throw new Error('one domain was to be shown');
    return done({ domain: domain.domain_id }, { agent_id: agent.agent_id, hostname }, shown);
  });
}
