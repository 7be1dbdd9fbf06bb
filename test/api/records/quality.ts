// Rules that score runs, datasets, an evaluation that is over and one that is under way, a thumb.
import type { EvaluationRuleIn } from '#contract/quality/evaluations.ts';
import { putThumb } from '#core/quality/evaluation/thumb.ts';
import { addItems } from '#core/quality/evaluation/dataset.ts';
import { putRule } from '#core/quality/evaluation/rules.ts';
import { startEvaluation } from '#core/quality/evaluation/start.ts';
import { addAgent } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';
import { runRow } from './run-row.ts';

const RULE = { check: { kind: 'latency', max_ms: 1_000 }, skills: [], sample: 1, enabled: true } satisfies EvaluationRuleIn;

export async function qualityRecords(owner: Owner): Promise<AreaRecords> {
  const { ctx, userId, agent } = owner;
  const { name } = agent;
  for (const rule of ['fast', 'slow']) await putRule(ctx, { name, rule, ...RULE });
  const [item] = (await example(owner, name, 'greetings')).items;
  const [gone] = (await example(owner, name, 'greetings')).items;
  await example(owner, name, 'other');
  const over = await startEvaluation(ctx, { name, dataset: 'greetings' });
  await ctx
    .db('evaluations')
    .where({ evaluation_id: over.evaluation_id })
    .update({ state: 'succeeded', ended_at: new Date(ctx.clock()) });
  const busy = await addAgent(ctx.db, userId, { live: true });
  await example(owner, busy.name, 'greetings');
  const open = await startEvaluation(ctx, { name: busy.name, dataset: 'greetings' });
  const scored = { ...runRow(owner), state: 'succeeded' as const, ended_at: new Date(ctx.clock()) };
  await ctx.db('runs').insert(scored);
  await putThumb(ctx, { run_id: scored.run_id, up: true, comment: '' });
  const ofRun = ['evaluations.runScores', 'evaluations.putThumb', 'evaluations.deleteThumb', 'traces.ofAgent', 'traces.mine', 'traces.input', 'myRuns.get'];
  return {
    params: {
      ...Object.fromEntries(ofRun.map((route) => [`${route}.run_id`, scored.run_id])),
      agent: name,
      rule: 'fast',
      'evaluations.deleteRule.rule': 'slow',
      dataset: 'greetings',
      'evaluations.deleteDataset.dataset': 'other',
      'evaluations.deleteItem.item_id': gone?.item_id ?? '',
      item_id: item?.item_id ?? '',
      evaluation_id: over.evaluation_id,
      'evaluations.cancelEvaluation.name': busy.name,
      'evaluations.cancelEvaluation.evaluation_id': open.evaluation_id,
    },
    calls: {
      'myRuns.log': { query: { run_id: scored.run_id } },
      'evaluations.addItems': { body: { items: [{ skill: 'greet', args: { name: 'Ada' } }] } },
    },
  };
}

const example = ({ ctx }: Owner, name: string, dataset: string) => addItems(ctx, { name, dataset, items: [{ skill: 'greet', args: {} }] });
