// An evaluation on a real Temporal, with a worker and an agent in processes of their own, taken away in the
// middle.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { durableWorld, type DurableWorld } from '#test/support/durable/world.ts';
import { within } from '#test/support/durable/runs.ts';
import type { EvaluationOut } from '#contract/quality/evaluations.ts';
import { advanceEvaluations } from './advance.ts';
import { addItems } from './dataset.ts';
import { cancelEvaluation, listEvaluations, readEvaluation } from './read.ts';
import { putRule } from './rules.ts';
import { startEvaluation } from './start.ts';

let w: DurableWorld;
beforeAll(async () => void (w = await durableWorld()));
afterAll(() => w.close());

const of = (dataset: string) => ({ name: w.agent.name, dataset });
const ended = (id: string, advance = () => advanceEvaluations(w.t.ctx)): Promise<EvaluationOut> =>
  vi.waitFor(async () => {
    await advance();
    const shown = await readEvaluation(w.ada, { name: w.agent.name, evaluation_id: id });
    if (shown.state === 'running') throw new Error(`still running: ${shown.done} of ${shown.items}`);
    return shown;
  }, within);

test('examples run once each, whichever process is killed, and are scored by rules and by their expected results', async () => {
  const tell = (n: number, expected: unknown) => ({ skill: 'tell', args: { times: n, everyMs: 30 }, expected });
  await addItems(w.ada, { ...of('kills'), items: [...Array.from({ length: 9 }, (_, n) => tell(n + 10, { told: n + 10 })), tell(3, { told: 4 })] });
  await putRule(w.ada, { name: w.agent.name, rule: 'tells', check: { kind: 'matches', pattern: '^1', pointer: '/told', absent: false }, skills: ['tell'], sample: 0, enabled: true }); // prettier-ignore
  const { evaluation_id, state, items } = await startEvaluation(w.ada, of('kills'));
  expect([state, items]).toEqual(['running', 10]);
  await expect(startEvaluation(w.ada, of('kills'))).rejects.toMatchObject({ code: 'evaluation_running' });
  await expect(readEvaluation(w.ben, { name: w.agent.name, evaluation_id })).rejects.toMatchObject({ code: 'agent_not_found' });
  // Two workers advance it at the same time; one dies while it holds it, and its time passes.
  await Promise.all([advanceEvaluations(w.t.ctx), advanceEvaluations(w.t.ctx)]);
  await w.t.ctx
    .db('evaluations')
    .where({ evaluation_id })
    .update({ held_until: new Date(Date.now() + 60_000) });
  await advanceEvaluations(w.t.ctx);
  await w.killWorker();
  await w.startWorker();
  const shown = await ended(evaluation_id, () => advanceEvaluations({ ...w.t.ctx, clock: () => Date.now() + 61_000 }));
  expect(shown).toMatchObject({
    state: 'succeeded',
    done: 10,
    passed: 9,
    rules: [
      { rule: 'expected', scored: 10, passed: 9 },
      { rule: 'tells', scored: 10, passed: 9 },
    ],
  });
  expect((await w.notes()).filter((note) => note === 'tell')).toHaveLength(10);
  const { results } = await readEvaluation(w.ada, { name: w.agent.name, evaluation_id });
  const wrong = results.find(({ passed }) => passed === false);
  expect(wrong?.scores).toEqual([
    { rule: 'expected', passed: false, score: 0, reason: 'The result is another at /told' },
    { rule: 'tells', passed: false, score: 0, reason: 'The pattern was not found' },
  ]);
  expect(await w.t.ctx.db('receipts').whereIn('run_id', results.map(({ run_id }) => run_id ?? ''))).toHaveLength(10); // prettier-ignore
});

test('what fails, asks a person or cannot be called does not pass, and says why; a cancelled one starts no more', async () => {
  const example = (skill: string, args: Record<string, unknown>) => ({ skill, args });
  await addItems(w.ada, { ...of('faults'), items: [example('fail', {}), example('ask', { times: 1 }), example('add', { a: 'x', b: 1 }), example('gone', {}), example('add', { a: 1, b: 1 })] }); // prettier-ignore
  const { evaluation_id } = await startEvaluation(w.ada, of('faults'));
  const shown = await ended(evaluation_id);
  expect(shown).toMatchObject({ state: 'succeeded', items: 5, done: 5, passed: 1 });
  const { results } = await readEvaluation(w.ada, { name: w.agent.name, evaluation_id });
  expect(results.map(({ error }) => error?.code)).toEqual(['skill_invocation_error', 'asked_a_person', 'invalid_input', 'skill_not_found', undefined]);

  const next = await startEvaluation(w.ada, of('kills'));
  await advanceEvaluations(w.t.ctx);
  const cancelled = await cancelEvaluation(w.ada, { name: w.agent.name, evaluation_id: next.evaluation_id });
  expect(cancelled).toMatchObject({ state: 'cancelled', items: 10 });
  await advanceEvaluations(w.t.ctx);
  expect(await w.t.ctx.db('evaluation_results').where({ evaluation_id: next.evaluation_id, state: 'queued' })).toHaveLength(6);
  await expect(cancelEvaluation(w.ada, { name: w.agent.name, evaluation_id: next.evaluation_id })).rejects.toMatchObject({ code: 'evaluation_ended' });
  expect((await listEvaluations(w.ada, { name: w.agent.name })).items.map(({ state }) => state)).toEqual(['cancelled', 'succeeded', 'succeeded']);
});
