// What a custom domain's workflows do outside of them: thin over core/agents/domain.
import { certificateStep } from '#core/agents/domain/certificate.ts';
import { proveDomain } from '#core/agents/domain/prove.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { longRunning } from './long-running.ts';

export type DomainActivities = ReturnType<typeof createDomainActivities>;

export function createDomainActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'domains' }, requestId: newId('req', deps.clock()) });
  return {
    /**
     * `daily`: it counts when the proof is gone. `ended`: nothing is to be proved any more, in this round.
     */
    async proveDomain({ domain_id, ...look }: { domain_id: string; daily: boolean; round?: number }): Promise<'pending' | 'proved' | 'ended'> {
      const proved = await proveDomain(platform(), domain_id, look);
      if (proved === undefined || proved.state === 'failed') return 'ended';
      return proved.state === 'pending' ? 'pending' : 'proved';
    },
    /** Milliseconds until the next step; null: the domain is gone. */
    certificateStep: (domainId: string): Promise<number | null> => longRunning(() => certificateStep(platform(), domainId)),
  };
}
