import type { Ctx } from '../../kernel/ctx.ts';

/** Why there is no certificate, or no newer one, yet; null: nothing is in its way. */
export async function noteProblem({ db }: Pick<Ctx, 'db'>, domainId: string, problem: string | null): Promise<void> {
  // A note of the platform's for the owner: nothing of the domain changes.
  await db('agent_domains').where({ domain_id: domainId }).update({ certificate_problem: problem });
}
