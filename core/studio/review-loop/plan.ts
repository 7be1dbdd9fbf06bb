// Which probes a round makes: an attack on a skill each, where the attack finds something to carry it.
import type { Knex } from 'knex';
import { ATTACKS, type Attack } from '#contract/states.ts';
import type { ReviewLoopsRow } from '#db/tables.ts';
import { casesOf } from './attack/cases.ts';
import { specOf } from './model.ts';
import type { LoopTarget } from './target.ts';

/** What is the same in every round is tried only in the first. */
const ONCE: readonly Attack[] = ['baseline', 'grants', 'replay', 'resume', 'cancel'];
/** Of one round. */
const MAX_PROBES = 150;

/** With the loop's row locked: the next round's probes, and the round. */
export async function planRound(
  tx: Knex,
  loop: Pick<ReviewLoopsRow, 'job_id' | 'iteration' | 'spec'>,
  target: LoopTarget,
): Promise<{ iteration: number; probes: number }> {
  const iteration = loop.iteration + 1;
  const { skills, dry, seed } = specOf(loop);
  const concurrency = target.route.card?.runtime.concurrency ?? 1;
  const [last] = await tx('review_probes').where({ job_id: loop.job_id }).max<{ max: number | null }[]>('number');
  const cards = target.skills.filter(({ id }) => skills.includes(id) || dry.includes(id));
  const attacks = ATTACKS.filter((attack) => iteration === 1 || !ONCE.includes(attack));
  const probes = attacks
    .flatMap((attack) => cards.map((skill) => ({ attack, skill })))
    .filter(({ attack, skill }) => casesOf(attack, { skill, workspace: target.workspace, concurrency, seed, iteration }).length > 0)
    .slice(0, MAX_PROBES);
  await tx('review_loops').where({ job_id: loop.job_id }).update({ iteration });
  if (probes.length > 0)
    await tx('review_probes').insert(
      probes.map(({ attack, skill }, at) => ({
        job_id: loop.job_id,
        number: (last?.max ?? 0) + 1 + at,
        iteration,
        attack,
        skill: skill.id,
        state: 'planned' as const,
      })),
    );
  return { iteration, probes: probes.length };
}
