// Rehearsals on a real Temporal and a real database, of an agent that the SDK's own runtime serves.
import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ProtocolSimulationDetailOut } from '#contract/studio/protocol-simulations.ts';
import { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import { resolveRoute } from '#core/agents/route/resolve.ts';
import { auditLedger } from '#core/money/ledger/audit-ledger.ts';
import { setPrice } from '#core/money/price/set.ts';
import { beginCall } from '#test/support/calls.ts';
import { listJobEvents } from '#core/runs/job/read.ts';
import { cancelJob } from '#core/runs/job/cancel.ts';
import { cites } from '#test/spec/verifies.ts';
import { liveAgent } from '#test/support/runs.ts';
import { recordHistory } from '#test/support/record-history.ts';
import { hasFindings } from './findings.ts';
import { getRehearsal, listScenarios, listRehearsals, listSuiteTemplates, listScenarioTemplates } from './list.ts';
import { addNote, addScenario } from './note.ts';
import { readReadiness } from './readiness.ts';
import { createSuite } from './registry/add.ts';
import { getEntry, listEntries } from './registry/list.ts';
import { moveEntry } from './registry/move.ts';
import { protocolBytes } from './registry/sign.ts';
import { STAGE_ISSUER, stageRun } from './stage/model.ts';
import { startCustomRun, startRehearsal } from './start.ts';
import { stopSimulation } from './stop.ts';
import { rehearsalWorld, type RehearsalWorld } from './test/world.ts';

let w: RehearsalWorld;
beforeAll(async () => void (w = await rehearsalWorld()));
afterAll(() => w.close());
beforeEach(() => {
  for (const what of Object.keys(w.behave)) delete w.behave[what as keyof typeof w.behave];
});

const limits = { run_budget_cents: 500, budget_ceiling_cents: 3000, ttl_seconds: 600, max_episodes: 30 };
const begin = (seed = 1, scenarios?: string[], more: { max_episodes?: number } = {}) =>
  startRehearsal(w.ada, { name: w.agent.name, seed, scenarios, ...limits, ...more });
const read = (job_id: string) => getRehearsal(w.ada, { name: w.agent.name, job_id });
const ended = (job_id: string): Promise<ProtocolSimulationDetailOut> =>
  vi.waitFor(
    async () => {
      const shown = await read(job_id);
      if (shown.ended_at === null) throw new Error(`still ${shown.state}: ${JSON.stringify(shown.counts)}`);
      return shown;
    },
    { timeout: 120_000, interval: 100 },
  );
const record = async (job_id: string, how: string): Promise<void> =>
  recordHistory(w.t.temporal, (await w.t.ctx.db('jobs').where({ job_id }).first('workflow_id'))?.workflow_id ?? '', `rehearse.${how}`);
const states = ({ scenarios }: ProtocolSimulationDetailOut) => Object.fromEntries(scenarios.map(({ scenario, state }) => [scenario, state]));

/** Rows of the live agent and its owner, and of accounts that are no one's. */
async function traces(): Promise<Record<string, number>> {
  const { db } = w.t.ctx;
  const count = async (query: Promise<{ count: number | string }[]>): Promise<number> => Number((await query)[0]?.count ?? 0);
  return {
    receipts: await count(db('receipts').where({ agent_id: w.agent.id }).count('* as count')),
    runs: await count(db('runs').where({ agent_id: w.agent.id }).count('* as count')),
    grants: await count(db('grants').count('* as count')),
    stages: await count(db('users').where({ issuer: STAGE_ISSUER }).count('* as count')),
    doubles: await count(db('agents').whereLike('name', 'rehearsal-%').count('* as count')),
    machines: w.running().length,
  };
}

test(
  'an agent is checked against every scenario, on a stage that goes; of the live agent nothing is touched; the same seed gives the same digest',
  cites('protocolSimulations.start', 'protocolSimulations.get'),
  async () => {
    const before = await traces();
    const first = await ended((await begin(7)).job_id);
    expect(await w.t.ctx.db('audit_log').where({ action: 'rehearsal.start', target_id: first.job_id }).select('actor_id')).toEqual([{ actor_id: w.ada.actor.user_id }]); // prettier-ignore
    const findings = await hasFindings(w.t.ctx.db);
    const expected = Object.fromEntries(first.scenarios.map(({ scenario }) => [scenario, scenario.startsWith('critical') && !findings ? 'skipped' : 'passed']));
    expect(states(first)).toEqual(expected);
    expect(first).toMatchObject({ state: 'succeeded', verdict: 'passed', stage_removed: true, active_apply_enabled: false, kill_switch_available: false });
    expect(Object.keys(expected)).toHaveLength(15);
    expect(await traces()).toEqual(before);
    // Neither its name, nor its secrets, nor a way out of its machine.
    const double = w.started.at(-1);
    expect(double).toMatchObject({ agent: expect.stringMatching(/^rehearsal-/), egress: { allow_hosts: [], allow_internal_services: [] } });
    expect(double?.secrets['SERVICE_KEY']).toMatch(/^canary-/);
    const again = await ended((await begin(7)).job_id);
    expect(again.digest).toBe(first.digest);
    expect(again.scenarios.map(({ events }) => events)).toEqual(first.scenarios.map(({ events }) => events));
    await record(first.job_id, 'passed');
  },
);

test('a double that calls a priced agent of somebody else is refused: nobody pays, and no free call is used', async () => {
  const { db } = w.t.ctx;
  const priced = await liveAgent(w.t.ctx, w.ben.actor.user_id, {
    visibility: 'public',
    card: { skills: [{ id: 'work', name: 'work', input_schema: {}, output_schema: {} }] },
  });
  const price = { call_micros: 20_000, second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 5 };
  await setPrice(w.ben, { name: priced.name, skill: 'work', price });
  const route = await resolveRoute(w.t.ctx, priced.name);
  if (!route) throw new Error('no route');
  const answers: string[] = [];
  w.behave.during = async () => {
    const double = await db('agents').whereLike('name', 'rehearsal-%').whereNotNull('live_deploy_id').first();
    if (!double) return;
    const { agent_id: agentId, name, owner_id, live_deploy_id } = double;
    const run = stageRun(w.t.ctx, owner_id, { agentId, name, deployId: live_deploy_id ?? '' }, [`${name}/file`]);
    const asked = { route, actor: run, skill: 'work', grant: undefined, input: { inputSha256: 'a'.repeat(64), args: () => ({}) } };
    answers.push(await beginCall({ ...w.t.ctx, actor: run }, asked).then(() => 'begun', ({ code }: { code: string }) => code)); // prettier-ignore
  };
  // Without the double it would be a free call, then a charged one: the test sees both.
  const ofBen = {
    route: route as NonNullable<typeof route>,
    actor: w.ada.actor,
    skill: 'work',
    grant: undefined,
    input: { inputSha256: 'a'.repeat(64), args: () => ({}) },
  };
  await beginCall(w.ada, ofBen);
  const before = { charges: await db('charges').select('payer_id', 'free'), free: await db('free_calls').select('payer_id', 'used') };
  expect(before).toMatchObject({ charges: [{ payer_id: w.ada.actor.user_id, free: true }], free: [{ payer_id: w.ada.actor.user_id, used: 1 }] });
  await ended((await begin(3)).job_id);
  expect(new Set(answers)).toEqual(new Set(['not_permitted']));
  expect({ charges: await db('charges').select('payer_id', 'free'), free: await db('free_calls').select('payer_id', 'used') }).toEqual(before);
  expect(await auditLedger(w.t.ctx)).toEqual([]);
});

test('an agent that prints its secrets fails: which event broke which rule', async () => {
  w.behave.prints = 'the key is';
  const shown = await ended((await begin(1, ['redaction', 'unknown_skill'])).job_id);
  expect(shown.verdict).toBe('failed');
  expect(states(shown)).toEqual({ redaction: 'failed', unknown_skill: 'passed' });
  const [broken, ...more] = shown.scenarios.find(({ scenario }) => scenario === 'redaction')?.broken ?? [];
  expect(more).toEqual([]);
  expect(broken).toEqual({
    event: 5,
    rule: 'no_secret',
    says: 'No planted secret is in events, receipts, results, audit or logs',
    expected: 'accepted, secrets 0',
    got: 'accepted, secrets 1',
  });
});

test(
  'a suite of its own is signed, reviewed, rehearsed and enabled, each in its order; readiness says what is open',
  cites('protocolSimulations.createSuite', 'protocolSimulations.customRun', 'protocolSimulations.readiness'),
  async () => {
    const suite = ProtocolSuite.parse({
      scenarios: [
        {
          scenario: 'reader',
          title: 'Reader',
          summary: 'A reader stays one.',
          rules: { no_write: 'A child of a reader never writes', wrong: 'This is never so' },
          steps: [
            { do: 'mint', as: 'reader', allow: ['docs/**'] },
            { do: 'delegate', from: 'reader', as: 'writer', allow: ['docs/**'], mode: 'read_write_overlay', expect: 'refused', rule: 'no_write' },
          ],
        },
      ],
    });
    const ref = { id: 'reader', version: '1.0.0' };
    const key = { name: w.agent.name, protocol_id: ref.id, version: ref.version };
    const made = await createSuite(w.ada, { ...key, display_name: 'Reader', risk_class: 'low', suite });
    expect(made).toMatchObject({ state: 'schema_validated', next: ['policy_reviewed', 'retired'] });
    const published = await w.t.ctx.db('receipt_keys').where({ kid: made.signature.kid }).first('public_key');
    const raw = Buffer.from(published?.public_key ?? '', 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw }, format: 'jwk' });
    const signed = { agent: w.agent.name, protocol_id: ref.id, version: ref.version, digest: made.digest };
    const signature = Buffer.from(made.signature.value, 'base64url');
    expect(verify(null, protocolBytes(signed), publicKey, signature)).toBe(true);
    expect(verify(null, protocolBytes({ ...signed, version: '1.0.1' }), publicKey, signature)).toBe(false);
    await expect(createSuite(w.ada, { ...key, display_name: 'Other', risk_class: 'low', suite })).rejects.toMatchObject({ code: 'protocol_exists' });

    const move = (to: 'policy_reviewed' | 'sandbox_simulated' | 'enabled_private' | 'enabled_public' | 'retired') =>
      moveEntry(w.ada, { ...key, to, note: 'Read it' });
    await expect(move('enabled_private')).rejects.toMatchObject({ code: 'protocol_move_refused' });
    await move('policy_reviewed');
    await expect(move('sandbox_simulated')).rejects.toMatchObject({ code: 'protocol_move_refused' });
    const run = { name: w.agent.name, seed: 1, ...limits };
    const shown = await ended((await startCustomRun(w.ada, { ...run, protocol_ref: ref })).job_id);
    expect(shown).toMatchObject({ verdict: 'passed', protocol_ref: { id: 'reader', version: '1.0.0', display_name: 'Reader', template_refs: [] } });
    expect(await getEntry(w.ada, key)).toMatchObject({ state: 'sandbox_simulated' });
    await move('enabled_private');
    await expect(move('enabled_public')).rejects.toMatchObject({ code: 'protocol_move_refused', message: expect.stringContaining('operators') });
    const readiness = await readReadiness(w.ada, { name: w.agent.name, protocol_ref: ref });
    expect(readiness).toMatchObject({ ready: false, active_apply_enabled: false });
    const met = Object.fromEntries(readiness.items.map(({ item, met: is }) => [item, is]));
    expect(met).toMatchObject({ simulation_passed: true, policy_reviewed: true, owner_approved: true, operator_enabled: false, registry_enabled: true });
    expect(readiness.items.find(({ item }) => item === 'operator_enabled')?.remedy).toContain('protocols_enabled');

    // What it says is what is judged: a suite whose author is wrong fails, and one that cannot be prepared
    // has no verdict.
    const wrong = structuredClone(suite);
    wrong.scenarios[0]?.steps.push({ do: 'verify', grant: 'reader', at: 'agent', after_seconds: 0, expect: 'refused', rule: 'wrong' });
    const failed = await ended((await startCustomRun(w.ada, { ...run, suite: wrong })).job_id);
    expect(failed.scenarios[0]?.broken).toEqual([{ event: 3, rule: 'wrong', says: 'This is never so', expected: 'refused', got: 'accepted' }]);
    const unprepared = structuredClone(suite);
    unprepared.scenarios[0]?.steps.push({
      do: 'mint',
      as: 'other',
      allow: ['../up'],
      deny: [],
      mode: 'read_only',
      ttl_seconds: 60,
      to: 'copy',
      expect: 'accepted',
    });
    const errored = await ended((await startCustomRun(w.ada, { ...run, suite: unprepared })).job_id);
    expect(errored).toMatchObject({ verdict: 'incomplete', scenarios: [{ state: 'errored', reason: expect.stringContaining('Step 3 (mint)') }] });
  },
);

test(
  'it is stopped by its kill switch, by its job, and by its deadline; notes are taken, but none that claims to apply',
  cites('protocolSimulations.stop', 'protocolSimulations.note', 'protocolSimulations.addScenario'),
  async () => {
    w.behave.slowMs = 60_000;
    const slow = await begin(1, ['child_scope', 'unknown_skill'], { max_episodes: 3 });
    await vi.waitFor(async () => expect((await read(slow.job_id)).counts.running).toBeGreaterThan(0), { timeout: 60_000, interval: 50 });
    const of = { name: w.agent.name, job_id: slow.job_id };
    await expect(begin()).rejects.toMatchObject({ code: 'simulation_running' });
    for (const who of [
      () => getRehearsal(w.ben, of),
      () => stopSimulation(w.ben, { ...of, reason: 'mine' }),
      () => addScenario(w.ben, { ...of, scenario: 'child_scope', seed: 1 }),
    ])
      await expect(who()).rejects.toMatchObject({ code: 'agent_not_found' });
    const note = { ...of, kind: 'observation' as const, participant: 'reviewer', message: 'It waits' };
    const { seq } = await addNote(w.ada, { ...note, payload: { seen: { apply: false } } });
    for (const payload of [{ active_apply_enabled: true }, { deep: [{ canApply: 'yes' }] }, { proposal_only: false }, { simulationOnly: null }, { Applied: 1 }])
      await expect(addNote(w.ada, { ...note, payload })).rejects.toMatchObject({ code: 'claims_to_apply' });
    expect((await addScenario(w.ada, { ...of, scenario: 'scope_union', seed: 3 })).position).toBe(3);
    await expect(addScenario(w.ada, { ...of, scenario: 'scope_union', seed: 4 })).rejects.toMatchObject({ code: 'too_many_episodes' });
    await stopSimulation(w.ada, { ...of, reason: 'Enough' });
    const stopped = await ended(slow.job_id);
    expect(stopped).toMatchObject({ state: 'cancelled', verdict: 'incomplete', stage_removed: true, error: { code: 'cancelled' } });
    const kinds = (await listJobEvents(w.ada, { job_id: slow.job_id, after: 0, limit: 500 })).items;
    expect(kinds.find((event) => event.seq === seq)).toMatchObject({ kind: 'participant.observation', payload: { proposal_only: true } });
    expect(kinds.map(({ kind }) => kind)).toContain('simulation_killed');
    await expect(stopSimulation(w.ada, { ...of, reason: 'again' })).rejects.toMatchObject({ code: 'simulation_ended' });
    await expect(addNote(w.ada, { ...note, payload: {} })).rejects.toMatchObject({ code: 'simulation_ended' });
    await record(slow.job_id, 'stopped');

    const cancelled = await begin(1, ['child_scope']);
    await cancelJob(w.ada, { job_id: cancelled.job_id });
    expect(await ended(cancelled.job_id)).toMatchObject({ state: 'cancelled', stage_removed: true });

    const late = await startRehearsal(w.ada, { name: w.agent.name, seed: 1, scenarios: ['child_scope'], ...limits, ttl_seconds: 1 });
    expect(await ended(late.job_id)).toMatchObject({ state: 'failed', verdict: 'incomplete', stage_removed: true, error: { code: 'deadline_exceeded' } });
    await record(late.job_id, 'late');
    expect(await traces()).toMatchObject({ stages: 0, doubles: 0 });
  },
);

test('one whose host is gone ends with the reason, and leaves no stage', async () => {
  const { db } = w.t.ctx;
  const at = await db('instances').where({ agent_id: w.agent.id }).pluck('node');
  await db('instances').where({ agent_id: w.agent.id }).update({ node: 'gone' });
  const { job_id } = await begin(1, ['child_scope']);
  const workflowId = (await db('jobs').where({ job_id }).first('workflow_id'))?.workflow_id ?? '';
  // Two minutes have passed.
  await vi.waitFor(
    () =>
      w.t.temporal.workflowService.updateActivityOptions({
        namespace: w.t.temporal.options.namespace,
        execution: { workflowId },
        type: 'openStage',
        activityOptions: { scheduleToStartTimeout: { seconds: 1 as never } },
        updateMask: { paths: ['schedule_to_start_timeout'] },
      }),
    { timeout: 30_000, interval: 100 },
  );
  const shown = await ended(job_id);
  await db('instances')
    .where({ agent_id: w.agent.id })
    .update({ node: at[0] ?? '' });
  expect(shown).toMatchObject({ state: 'failed', verdict: 'incomplete', stage_removed: true, error: { code: 'host_unreachable' } });
  expect(shown.error?.message).toContain('did not take the work');
  await record(job_id, 'host-gone');
});

test('it goes on after its worker was lost, and what has a result is not played again', async () => {
  w.behave.slowMs = 4_000;
  const { job_id } = await begin(2, ['child_scope', 'scope_union', 'revocation_race', 'replay_determinism']);
  await vi.waitFor(async () => expect((await read(job_id)).counts.passed).toBeGreaterThan(0), { timeout: 60_000, interval: 50 });
  const done = (await read(job_id)).scenarios.filter(({ state }) => state === 'passed');
  await w.stopWorker();
  w.behave.slowMs = 0;
  await w.startWorker();
  const shown = await ended(job_id);
  expect(shown).toMatchObject({ state: 'succeeded', verdict: 'passed' });
  for (const one of done) expect(shown.scenarios.find(({ position }) => position === one.position)).toEqual(one);
  const { items } = await listJobEvents(w.ada, { job_id, after: 0, limit: 500 });
  const results = items.filter(({ kind }) => kind === 'scenario_passed').map(({ payload }) => payload['position']);
  expect(results.toSorted()).toEqual([1, 2, 3, 4]);
});

test(
  'its lists: rehearsals newest first, page by page; what can be rehearsed, whole or by name; the suites of its owner',
  cites(
    'protocolSimulations.list',
    'protocolSimulations.scenarios',
    'protocolSimulations.templates',
    'protocolSimulations.suiteTemplates',
    'protocolSimulations.registry',
  ),
  async () => {
    const of = { name: w.agent.name };
    const all = (await listRehearsals(w.ada, { ...of, limit: 100 })).items;
    expect(all.length).toBeGreaterThan(5);
    const times = all.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const first = await listRehearsals(w.ada, { ...of, limit: 2 });
    const rest = await listRehearsals(w.ada, { ...of, limit: 100, cursor: first.next_cursor ?? '' });
    expect([...first.items, ...rest.items]).toEqual(all);
    const templates = (await listScenarioTemplates(w.ada, of)).items;
    expect((await listScenarios(w.ada, of)).items).toEqual(
      templates.map(({ scenario, title, summary, rules, steps }) => ({ scenario, title, summary, rules, steps: steps.length })),
    );
    // Each scenario is in one suite, and each suite can be put into the registry as it is.
    const suites = (await listSuiteTemplates(w.ada, of)).items;
    expect(suites.flatMap(({ suite }) => suite.scenarios.map(({ scenario }) => scenario)).toSorted()).toEqual(
      templates.map(({ scenario }) => scenario).toSorted(),
    );
    for (const { template, title, risk_class, suite } of suites)
      await createSuite(w.ada, { ...of, protocol_id: template, version: '1.0.0', display_name: title, risk_class, suite });
    expect((await listEntries(w.ada, { ...of, limit: 100 })).items.map(({ protocol_id }) => protocol_id)).toEqual([
      ...suites.map(({ template }) => template).toReversed(),
      'reader',
      'core',
    ]);
    for (const list of [listRehearsals, listEntries]) await expect(list(w.ben, { ...of, limit: 1 })).rejects.toMatchObject({ code: 'agent_not_found' });
    for (const list of [listScenarios, listScenarioTemplates, listSuiteTemplates])
      await expect(list(w.ben, of)).rejects.toMatchObject({ code: 'agent_not_found' });
  },
);
