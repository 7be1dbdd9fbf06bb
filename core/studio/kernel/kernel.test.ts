// Runs of simulated worlds over a real database; their workflow is test/…/kernel-run.parts.test.ts's.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KernelEvolutionIn } from '#contract/studio/kernel-evolution.ts';
import { KernelSimulationIn, type KernelSimulationSummary } from '#contract/studio/kernel-simulations.ts';
import { MAX_OPEN_KERNEL_RUNS } from '#contract/wire/limits.ts';
import { templateOf } from '#contract/studio/simulation/templates.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { limitRuns } from '#test/support/limit-runs.ts';
import { liveAgent, type LiveAgent } from '#test/support/runs.ts';
import { cites } from '#test/spec/verifies.ts';
import { newId } from '../../kernel/ids.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { listJobEvents } from '../../runs/job/read.ts';
import { getEvolution, getSimulation, listEvolutions, listSimulations } from './read.ts';
import { replayEvolution, replaySimulation } from './replay.ts';
import { startEvolution, startSimulation } from './start.ts';
import { advanceKernelRun, endKernelRun } from './steps.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

const simulation = (more: object = {}): KernelSimulationIn => KernelSimulationIn.parse({ template: 'market', ...more });

async function toItsEnd(jobId: string): Promise<number> {
  let slices = 0;
  for (let step = await advanceKernelRun(t.ctx, jobId); step === 'again'; step = await advanceKernelRun(t.ctx, jobId)) slices += 1;
  return slices;
}

test(
  'a simulation goes on slice by slice, each of which may come twice, and its replay comes to the same digest',
  cites('kernelSimulations.start', 'kernelSimulations.get', 'kernelSimulations.replay'),
  async () => {
    const begun = await startSimulation(ada, simulation({ seed: 7 }));
    expect(begun).toMatchObject({ state: 'queued', world: 'market', done: 0, total: 100, digest: null, verdict: null });
    await expect(replaySimulation(ada, begun)).rejects.toMatchObject({ code: 'kernel_run_open' });
    // Two workers at once, as after a heartbeat that was lost.
    await Promise.all([advanceKernelRun(t.ctx, begun.job_id), advanceKernelRun(t.ctx, begun.job_id)]);
    const { state, done } = await getSimulation(ada, begun);
    // Each writes a slice once: the same one, or one after the other.
    expect([state, [25, 50].includes(done)]).toEqual(['running', true]);
    await toItsEnd(begun.job_id);
    const ended = await getSimulation(ada, begun);
    expect(ended).toMatchObject({ state: 'succeeded', done: 100, verdict: 'held', violation: null, digest: ended.digests.at(-1) });
    expect(ended.metrics.map(({ values }) => values.length)).toEqual([100, 100, 100, 100, 100]);
    expect(ended.outcomes.length).toBeGreaterThan(3);
    const { items } = await listJobEvents(ada, { job_id: begun.job_id, after: 0, limit: 100 });
    expect(items.map(({ kind }) => kind)).toEqual(['job.queued', 'job.running', ...Array.from({ length: 4 }, () => 'simulation.measured'), 'job.succeeded']);
    const again = await replaySimulation(ada, begun);
    expect(again.replay).toEqual({ of: begun.job_id, matches: null, first_difference: null });
    await toItsEnd(again.job_id);
    expect(await getSimulation(ada, again)).toMatchObject({ state: 'succeeded', digest: ended.digest, replay: { matches: true, first_difference: null } });
  },
);

test('a replay fails where a digest differs, and says at which step; a worker that makes other digests stops', async () => {
  const { job_id } = await startSimulation(ada, simulation({ seed: 8, steps: 30 }));
  await toItsEnd(job_id);
  await t.ctx.db.raw(`update kernel_runs set digests = jsonb_set(digests, '{11}', '"${'0'.repeat(64)}"') where job_id = ?`, [job_id]);
  const again = await replaySimulation(ada, { job_id });
  await toItsEnd(again.job_id);
  expect(await getSimulation(ada, again)).toMatchObject({
    state: 'failed',
    error: { code: 'digest_differs' },
    replay: { matches: false, first_difference: 12 },
  });
  const half = await startSimulation(ada, simulation({ seed: 9 }));
  await advanceKernelRun(t.ctx, half.job_id);
  await t.ctx.db.raw(`update kernel_runs set digests = jsonb_set(digests, '{3}', '"1"') where job_id = ?`, [half.job_id]);
  await toItsEnd(half.job_id);
  expect(await getSimulation(ada, half)).toMatchObject({ state: 'failed', error: { code: 'digest_differs' }, verdict: null });
});

test('a broken invariant ends it, and its replay, which breaks it again, succeeds', async () => {
  const spec = { ...templateOf('creator-market')?.spec, invariants: [{ metric: 'solvent_permille', at_least: 900 }] };
  const { job_id } = await startSimulation(ada, KernelSimulationIn.parse({ spec, seed: 7 }));
  await toItsEnd(job_id);
  const ended = await getSimulation(ada, { job_id });
  expect(ended).toMatchObject({ state: 'failed', verdict: 'violated', error: { code: 'invariant_violated' }, violation: { rule: 'solvent_permille' } });
  expect(ended.done).toBe(ended.violation?.step);
  const again = await replaySimulation(ada, { job_id });
  await toItsEnd(again.job_id);
  expect(await getSimulation(ada, again)).toMatchObject({ state: 'succeeded', verdict: 'violated', replay: { matches: true } });
});

test('deadline, cancelling and a lost workflow end it once; what is over stays as it is', async () => {
  const late = await startSimulation(ada, simulation({ deadline_seconds: 10 }));
  await advanceKernelRun({ ...t.ctx, clock: () => Date.now() + 11_000 }, late.job_id);
  expect(await getSimulation(ada, late)).toMatchObject({ state: 'failed', error: { code: 'simulation_late' } });
  const gone = await startSimulation(ada, simulation());
  await endKernelRun(t.ctx, gone.job_id, { code: 'cancelled', message: 'It was cancelled before its end' });
  await endKernelRun(t.ctx, gone.job_id, { code: 'workflow_lost', message: 'no' });
  expect(await advanceKernelRun(t.ctx, gone.job_id)).toBe('ended');
  expect(await getSimulation(ada, gone)).toMatchObject({ state: 'cancelled', error: { code: 'cancelled' }, done: 0 });
  await expect(replaySimulation(ada, gone)).rejects.toMatchObject({ code: 'kernel_run_open' });
});

test("somebody else's do not exist, and nobody has more than so many under way", async () => {
  const mine = await startSimulation(ada, simulation());
  for (const read of [getSimulation, replaySimulation]) await expect(read(ben, mine)).rejects.toMatchObject({ code: 'kernel_run_not_found' });
  await expect(getEvolution(ada, mine)).rejects.toMatchObject({ code: 'kernel_run_not_found' });
  await expect(cancelJob(ben, mine)).rejects.toMatchObject({ code: 'job_not_found' });
  const made = await Promise.allSettled(Array.from({ length: 8 }, () => startSimulation(ben, simulation())));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_OPEN_KERNEL_RUNS);
  for (const one of made) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'too_many_kernel_runs' });
  const seen: KernelSimulationSummary[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listSimulations(ben, { limit: 2, cursor });
    seen.push(...page.items);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(new Set(seen.map(({ job_id }) => job_id)).size).toBe(MAX_OPEN_KERNEL_RUNS);
  // Runs that start side by side: the time of each is its transaction's, and their ids may be in another
  // order.
  const times = seen.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted().toReversed());
});

test(
  'a comparison: contestants one by one, a proposal that is switched off with its lineage, and the same digests again',
  cites('kernelEvolution.start', 'kernelEvolution.list', 'kernelEvolution.get', 'kernelEvolution.replay'),
  async () => {
    const participants = [
      { name: 'below-cost', strategy: 'fixed_price', parameters: { price_micros: 700 } },
      { name: 'by-demand', strategy: 'demand_following' },
    ];
    const begun = await startEvolution(ada, KernelEvolutionIn.parse({ participants, seed: 7, variant_count: 1, seeds: 4 }));
    await Promise.all([advanceKernelRun(t.ctx, begun.job_id), advanceKernelRun(t.ctx, begun.job_id)]);
    expect((await getEvolution(ada, begun)).contestants).toHaveLength(1);
    await toItsEnd(begun.job_id);
    const ended = await getEvolution(ada, begun);
    expect(ended).toMatchObject({ state: 'succeeded', done: 3, proposal: { state: 'disabled', role: 'creator' } });
    expect(ended.contestants.map(({ name, parent }) => [name, parent])).toEqual([
      ['below-cost', null],
      ['by-demand', null],
      ['variant-1', 'by-demand'],
    ]);
    expect(ended.contestants[1]?.gain.low).toBeGreaterThan(0);
    expect(ended.proposal?.lineage.at(-1)).toMatchObject({ name: ended.winner });
    expect((await listEvolutions(ada, { limit: 10 })).items.map(({ job_id, state }) => [job_id, state])).toEqual([[begun.job_id, 'succeeded']]);
    expect((await listEvolutions(ben, { limit: 10 })).items).toEqual([]);
    const again = await replayEvolution(ada, begun);
    await toItsEnd(again.job_id);
    const replayed = await getEvolution(ada, again);
    expect(replayed).toMatchObject({ state: 'succeeded', digest: ended.digest, replay: { matches: true } });
    expect(replayed.contestants).toEqual(ended.contestants);
  },
);

test('what is asked for must fit: one world, names that lead somewhere, settings in their range', () => {
  const faults = (schema: typeof KernelSimulationIn | typeof KernelEvolutionIn, input: object) =>
    schema.safeParse(input).error?.issues.map(({ path }) => path.join('.'));
  const spec = templateOf('market')?.spec;
  expect(faults(KernelSimulationIn, {})).toEqual(['template']);
  expect(faults(KernelSimulationIn, { template: 'market', spec })).toEqual(['template']);
  expect(faults(KernelSimulationIn, { template: 'market', execution_mode: 'hybrid' })).toEqual(['execution_mode']);
  expect(faults(KernelSimulationIn, { spec: { ...spec, rules: { constructor: 1 } } })).toEqual(['spec.rules.constructor']);
  expect(faults(KernelSimulationIn, { spec: { ...spec, ports: [{ port_id: 'p', actor: 'nobody', price_micros: 1 }] } })).toContain('spec.ports.0.actor');
  expect(faults(KernelSimulationIn, { spec: { ...spec, actors: Array.from({ length: 26 }, (_, at) => ({ actor_id: `a${at}`, role: 'buyer', strategy: 'cheapest' })) } })).toContain('spec.actors'); // prettier-ignore
  expect(faults(KernelEvolutionIn, { template: 'market', participants: [] })).toContain('participants');
  expect(faults(KernelEvolutionIn, { participants: [{ name: 'a', strategy: 'constructor' }, { name: 'a', strategy: 'undercut' }] })).toEqual(['participants.0.strategy', 'participants']); // prettier-ignore
});

test('a hybrid run: its agent is called under its own rights, what it answers is kept, and a replay calls nobody', async () => {
  const agent = await agentWith('turn');
  const spec = hybrid(agent.name);
  const { job_id } = await startSimulation(ada, KernelSimulationIn.parse({ spec, execution_mode: 'hybrid', calls: 2, seed: 7 }));
  await expect(startSimulation(ben, KernelSimulationIn.parse({ spec, execution_mode: 'hybrid', seed: 7 }))).rejects.toMatchObject({ code: 'agent_not_found' });
  await answer(job_id, { state: 'succeeded', result: { act: 'emit_signal', value: 900 }, costMicros: 700 });
  await answer(job_id, { state: 'failed' });
  await toItsEnd(job_id);
  const ended = await getSimulation(ada, { job_id });
  expect(ended).toMatchObject({ state: 'succeeded', spent_micros: 700, calls: [{ state: 'succeeded', act: 'emit_signal', agent: agent.name }, { state: 'failed', act: null, error: { code: 'x' } }] }); // prettier-ignore
  const runs = (): Promise<unknown[]> => t.ctx.db('runs').where({ agent_id: agent.id });
  expect(await runs()).toHaveLength(2);
  const again = await replaySimulation(ada, { job_id });
  await toItsEnd(again.job_id);
  expect(await getSimulation(ada, again)).toMatchObject({ state: 'succeeded', digest: ended.digest, replay: { matches: true }, spent_micros: 0 });
  expect(await runs()).toHaveLength(2);
});

test('a call is not made once the budget of the simulation is used', async () => {
  const agent = await agentWith('turn');
  const begun = await startSimulation(
    ada,
    KernelSimulationIn.parse({ spec: hybrid(agent.name), execution_mode: 'hybrid', calls: 2, budget_cents: 1, seed: 7 }),
  );
  await answer(begun.job_id, { state: 'succeeded', result: { act: 'hold' }, costMicros: 10_000 });
  await toItsEnd(begun.job_id);
  expect(await getSimulation(ada, begun)).toMatchObject({ spent_micros: 10_000, calls: [{ state: 'succeeded' }, { state: 'cancelled', error: { code: 'budget_used' } }] }); // prettier-ignore
  expect(await t.ctx.db('runs').where({ agent_id: agent.id })).toHaveLength(1);
});

test('a call waits where the account has as many runs under way as it may, says so once, and is made when there is room, or not by the deadline', async () => {
  const agent = await agentWith('turn');
  const begun = await startSimulation(ada, KernelSimulationIn.parse({ spec: hybrid(agent.name), execution_mode: 'hybrid', calls: 1, seed: 7 }));
  const late = await startSimulation(ada, KernelSimulationIn.parse({ spec: hybrid(agent.name), execution_mode: 'hybrid', calls: 1, seed: 7 }));
  await limitRuns(ben, ada, 0);
  for (const { job_id } of [begun, late]) {
    await toItsEnd(job_id);
    expect(await advanceKernelRun(t.ctx, job_id)).toBe('waits');
    expect(await getSimulation(ada, { job_id })).toMatchObject({ state: 'running', calls: [] });
    const { items } = await listJobEvents(ada, { job_id, after: 0, limit: 100 });
    expect(items.filter(({ kind }) => kind === 'simulation.waits_for_room')).toMatchObject([
      { payload: { call: 0, agent: agent.name, code: 'too_many_runs' } },
    ]);
  }
  await t.ctx
    .db('kernel_runs')
    .where({ job_id: late.job_id })
    .update({ deadline_at: new Date(t.ctx.clock() - 1) });
  expect(await advanceKernelRun(t.ctx, late.job_id)).toBe('ended');
  expect(await getSimulation(ada, late)).toMatchObject({ state: 'failed', error: { code: 'simulation_late' } });
  await limitRuns(ben, ada, null);
  await answer(begun.job_id, { state: 'succeeded', result: { act: 'emit_signal', value: 900 } });
  await toItsEnd(begun.job_id);
  expect(await getSimulation(ada, begun)).toMatchObject({ state: 'succeeded', calls: [{ state: 'succeeded' }] });
});

const hybrid = (name: string) => {
  const spec = templateOf('creator-market')?.spec;
  return {
    ...spec,
    steps: 20,
    actors: spec?.actors.map((actor, at) => (at === 0 ? { ...actor, agent: { name, skill: 'turn', observation: 'world' } } : actor)),
  };
};

const agentWith = (skill: string): Promise<LiveAgent> =>
  liveAgent(t.ctx, ada.actor.user_id, { card: { skills: [{ id: skill, name: skill, description: '', input_schema: { type: 'object' }, output_schema: {} }] } });

/** Lets the simulation ask, ends the run that it began, and goes on. */
async function answer(jobId: string, { state, result, costMicros }: { state: 'succeeded' | 'failed'; result?: unknown; costMicros?: number }): Promise<void> {
  await toItsEnd(jobId);
  const { calls } = await getSimulation(ada, { job_id: jobId });
  const run_id = calls.at(-1)?.run_id ?? '';
  if (costMicros !== undefined) await t.ctx.db('llm_usage').insert({ usage_id: newId('llu'), user_id: ada.actor.user_id, credential_id: 'llc_1', credential: 'c', provider: 'p', model: 'm', purpose: 'skill', run_id, state: 'ok', reserved_micros: 0, cost_micros: costMicros, day: '2026-11-26', started_at: new Date(), ended_at: new Date() }); // prettier-ignore
  const [run] = await t.ctx.db('runs').where({ run_id }).update({ state, ended_at: new Date() }).returning(['job_id', 'args']); // prettier-ignore
  expect(run?.args).toMatchObject({ world: { kind: 'market', actor: 'fixed-price-1-1' } });
  const end = state === 'succeeded' ? { output: JSON.stringify({ result }) } : { error: JSON.stringify({ code: 'x', message: 'y' }) };
  await t.ctx.db('jobs').where({ job_id: run?.job_id ?? '' }).update({ state, ended_at: new Date(), ...end }); // prettier-ignore
}
