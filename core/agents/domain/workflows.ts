// The two workflows of a custom domain: one looks for its proof, one keeps its certificate.
import type { AgentDomainsRow } from '#db/tables.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { signalWorkflow, startWorkflow } from '../../outbox/messages.ts';

type Domain = Pick<AgentDomainsRow, 'domain_id' | 'round' | 'asks_certificate'>;

/** Each round of a proof has a workflow of its own: one that failed has ended. */
export async function startProof(
  ctx: TxCtx,
  { domain_id, round }: Omit<Domain, 'asks_certificate'>,
  of: { ownerId: string; agentName: string },
): Promise<void> {
  await startWorkflow(ctx, {
    type: 'verifyDomain',
    workflowId: proofId({ domain_id, round }),
    taskQueue: 'control',
    args: [{ domain_id, round }],
    searchAttributes: { SvcKind: 'domain', SvcAgent: of.agentName, SvcOwner: of.ownerId },
  });
}

/** Where certificates are asked for. Once it runs, it runs until the domain is removed. */
export async function startCertificate(ctx: TxCtx, domainId: string, of: { ownerId: string; agentName: string }): Promise<void> {
  if (!ctx.drivers.certificates) return;
  const first = await ctx.db('agent_domains').where({ domain_id: domainId, asks_certificate: false }).update({ asks_certificate: true });
  if (first === 0) return;
  await startWorkflow(ctx, {
    type: 'renewCertificate',
    workflowId: certificateWorkflowId(domainId),
    taskQueue: 'control',
    args: [{ domain_id: domainId }],
    searchAttributes: { SvcKind: 'certificate', SvcAgent: of.agentName, SvcOwner: of.ownerId },
  });
}

/** They look at once instead of at their own time. */
export async function wakeDomain(ctx: TxCtx, domain: Domain): Promise<void> {
  await signalWorkflow(ctx, proofId(domain), 'domainChanged');
  if (domain.asks_certificate) await signalWorkflow(ctx, certificateWorkflowId(domain.domain_id), 'domainChanged');
}

function proofId({ domain_id, round }: Pick<Domain, 'domain_id' | 'round'>): string {
  return `domain:${domain_id}:${round}`;
}

function certificateWorkflowId(domainId: string): string {
  return `certificate:${domainId}`;
}
