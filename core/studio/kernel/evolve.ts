// A comparison, one contestant at a time.
import { compare, type Compared, type Contestant, evaluate, evolutionDigest, variantsOf, winnerOf } from '#contract/studio/simulation/evolution.ts';
import { KINDS } from '#contract/studio/simulation/kinds/index.ts';
import { firstDifference } from '#contract/studio/simulation/run.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Advanced } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { differing, end, originalOf } from './end.ts';
import { contestantsIn, type EvolutionResult, inputIn, type KernelRunRow, simulationSpecIn, withoutScores } from './row.ts';

const POINT = 1_000;

export async function advanceEvolution(ctx: Ctx, row: KernelRunRow, signal?: AbortSignal): Promise<Advanced> {
  const { bases, strategy, variant_count, max_score_delta, seeds } = inputIn(row);
  const spec = simulationSpecIn(row);
  const before = contestantsIn(row);
  if (before.length < row.total) {
    const next = bases[before.length] ?? variantsOf(spec, bestOf(compare(before.slice(0, bases.length), row.seed)), { strategy, seed: row.seed, count: variant_count })[before.length - bases.length]; // prettier-ignore
    if (!next) throw new Error('there are fewer contestants than were planned');
    const one = await evaluate(spec, next, seeds, signal);
    const shown = compare([...before.slice(0, 1), one], row.seed).at(-1);
    await system(ctx, async (ctx) => {
      const set = { done: before.length + 1, contestants: storableJson([...before, one]) };
      const moved = await ctx.db('kernel_runs').where({ job_id: row.job_id, done: before.length }).update(set); // prettier-ignore
      if (moved > 0 && shown) await appendEvent(ctx.db, row.job_id, 'evolution.contestant', withoutScores(shown));
    });
    return 'again';
  }
  const all = compare(before, row.seed);
  const digest = await evolutionDigest(all);
  const winner = winnerOf(all, max_score_delta * POINT);
  const result: EvolutionResult = { contestants: all.map(withoutScores), proposal: winner ? proposalOf(all, winner, KINDS[row.world].subject) : null };
  const original = await originalOf(ctx, row);
  const digestsOf = (one: KernelRunRow): string[] => [...contestantsIn(one).map((contestant) => contestant.digest), one.digest ?? ''];
  const first = original && firstDifference(digestsOf(original), digestsOf({ ...row, digest }));
  const verdict = all.some(({ violations }) => violations > 0) ? 'violated' : 'held';
  return end(ctx, row, {
    verdict,
    digest,
    result,
    output: { digest, winner: winner?.name ?? null },
    ...(first !== undefined && { first, fault: differing(first, original?.engine ?? '') }),
  });
}

function bestOf(all: readonly Compared[]): Contestant {
  const [best] = all.toSorted((a, b) => b.score.mean - a.score.mean);
  if (!best) throw new Error('there is nothing to make variants of');
  const { name, generation, parent, change, strategy, parameters } = best;
  return { name, generation, parent, change, strategy, parameters };
}

function proposalOf(all: readonly Compared[], winner: Compared, role: string): EvolutionResult['proposal'] {
  const lineage: Compared[] = [];
  for (let one: Compared | undefined = winner; one; one = all.find(({ name }) => name === one?.parent)) lineage.unshift(one);
  const { name, strategy, parameters } = winner;
  const steps = lineage.map(({ name: of, change, digest }) => ({ name: of, change, digest }));
  return { state: 'disabled', contestant: name, role, strategy, parameters, lineage: steps };
}
