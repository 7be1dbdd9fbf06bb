import type { z } from 'zod';
import type { AgentCustomDomainOut } from '#contract/agents/domains.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { BadGateway } from '../../kernel/errors.ts';
import { PROOF_MS } from './add.ts';
import { domainFor, domainNamed } from './find.ts';
import { presentDomains } from './present.ts';
import { proveDomain } from './prove.ts';
import { proofName } from './records.ts';
import { moveDomain } from './states.ts';
import { startProof, wakeDomain } from './workflows.ts';

/** @throws BadGateway dns_unanswered; NotFound domain_not_found */
export async function verifyDomain(ctx: Ctx, i: { name: string; hostname: string }): Promise<z.infer<typeof AgentCustomDomainOut>> {
  const domainId = await begin(ctx, i);
  // Outside the transaction: it waits for other people's name servers.
  const proved = await proveDomain(ctx, domainId, { daily: false });
  const { agent, domain } = await domainFor(ctx.db, ctx, 'domain.verify', i);
  if (proved?.look.ownership.state === 'unanswered')
    throw new BadGateway('dns_unanswered', `The name servers did not answer for ${proofName(domain.hostname)}: check that they are up, then verify again`);
  const [shown] = await presentDomains(ctx, agent, [domain]);
  if (!shown) throw new Error('one domain was to be shown');
  return shown;
}

async function begin(ctx: Ctx, i: { name: string; hostname: string }): Promise<string> {
  return act(ctx, 'domain.verify', domainNamed(i), async (ctx, { agent, domain }) => {
    const { domain_id } = domain;
    const round = domain.round + 1;
    // One of two that come at once begins it again.
    if (await moveAgain()) await startProof(ctx, { domain_id, round }, { ownerId: agent.owner_id, agentName: agent.name });
    // The certificate may wait for the same records.
    else await wakeDomain(ctx, domain);
    return done({ domain: domain_id }, { agent_id: agent.agent_id, hostname: domain.hostname }, domain_id);

    async function moveAgain(): Promise<boolean> {
      return domain.state === 'failed' && moveDomain(ctx.db, domain_id, 'pending', { round, problem: null, prove_until: new Date(ctx.clock() + PROOF_MS) });
    }
  });
}
