// A custom domain's states, and the moves between them.
import type { Knex } from 'knex';
import type { DomainState } from '#contract/states.ts';
import type { Insert } from '#db/table-types.ts';

const MOVES: Record<DomainState, readonly DomainState[]> = {
  /** The DNS is asked for its proof. */
  pending: ['active', 'failed', 'removed'],
  /** The agent answers there. */
  active: ['suspended', 'removed'],
  /**
   * The proof was gone twice, or another agent proved the name; once the proof is there again it is active.
   */
  suspended: ['active', 'removed'],
  /** Not proved in time. */
  failed: ['pending', 'removed'],
  /** Stays until its certificate is revoked. */
  removed: [],
};

/** False: it has moved elsewhere meanwhile. */
export async function moveDomain(tx: Knex, domainId: string, to: DomainState, more: Partial<Insert<'agent_domains'>> = {}): Promise<boolean> {
  const moved = await tx('agent_domains')
    .where({ domain_id: domainId })
    .whereIn('state', from(to))
    .update({ ...more, state: to }, ['domain_id']);
  return moved.length > 0;
}

/** States from which it may come there. */
function from(to: DomainState): DomainState[] {
  return (Object.keys(MOVES) as DomainState[]).filter((state) => MOVES[state].includes(to));
}
