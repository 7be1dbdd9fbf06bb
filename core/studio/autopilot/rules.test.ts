// What a look proposes, with enough of it and with too little, over a real database and a real repository.
import { expect, test } from 'vitest';
import { NOW, advisory, agent, ago, anotherAgent, calls, commit, deployId, finding, looked, only, reviewed, runs, shown, t, useWorld } from './test/world.ts';
import { COST, AUTOPILOT_DAY_MS, DRIFT, FAILURES, LATENCY, LOCK_DAYS, OLD_FINDING_DAYS, PROPOSAL_DAYS, UNUSED_DAYS } from './thresholds.ts';

useWorld();

test('failures: the share of failed calls has grown, of enough calls; what callers did wrong does not count', async () => {
  await calls(100, { daysAgo: 8 });
  await calls(FAILURES.leastCalls);
  await calls(FAILURES.leastFailed - 1, { code: 'agent_timeout' });
  await calls(50, { code: 'invalid_input' });
  expect(shown(await looked())).toEqual([]);
  await calls(2, { code: 'agent_timeout' });
  const found = await only(looked());
  expect(found).toMatchObject({ category: 'failures', severity: 'warning', agent: agent.name, state: 'open', source_head_sha: null, run_id: null });
  expect(found.evidence.filter(({ kind, text }) => kind === 'receipt' && text.includes('agent_timeout'))).toHaveLength(5);
  const receipt = await t.ctx.db('receipts').where({ receipt_id: found.evidence.find(({ kind }) => kind === 'receipt')?.id ?? '' }).first(); // prettier-ignore
  expect(receipt).toMatchObject({ agent_id: agent.id, status: 'error' });
  expect(found.evidence).toContainEqual({ kind: 'deployment', id: deployId, text: expect.stringContaining('1.0.0') });
  expect(Date.parse(found.expires_at) - Date.parse(found.created_at)).toBe(PROPOSAL_DAYS * AUTOPILOT_DAY_MS);
});

test('failures that were as frequent before are no news', async () => {
  await calls(80, { daysAgo: 8 });
  await calls(20, { daysAgo: 8, code: 'agent_timeout' });
  await calls(80);
  await calls(20, { code: 'agent_timeout' });
  expect(shown(await looked())).toEqual([]);
});

test('latency: the 95th percentile has doubled, of enough calls', async () => {
  await calls(LATENCY.leastCalls, { daysAgo: 8, ms: 400 });
  await calls(LATENCY.leastCalls - 10, { ms: 3_000 });
  expect(shown(await looked())).toEqual([]);
  await calls(10, { ms: 4_000 });
  const found = await only(looked());
  expect(found).toMatchObject({ category: 'latency', severity: 'critical' });
  expect(found.evidence.filter(({ kind }) => kind === 'receipt').map(({ text }) => text)[0]).toContain('4000 ms');
});

test('cost: a run costs more than before, or much, of enough runs', async () => {
  await runs(COST.leastRuns, 50_000, 8);
  await runs(COST.leastRuns - 1, 100_000);
  expect(shown(await looked())).toEqual([]);
  await runs(1, 100_000);
  const found = await only(looked());
  expect(found).toMatchObject({ category: 'cost', severity: 'warning', title: expect.stringContaining('2 times') });
  expect(found.evidence.filter(({ kind }) => kind === 'run')).toHaveLength(5);
  await anotherAgent();
  await runs(COST.leastRunsForHigh, COST.highPerRun);
  expect((await looked()).created).toMatchObject([{ category: 'cost', title: expect.stringContaining('$0.50') }]);
});

test('dependencies: advisories that nobody accepted, no lock file, one that is old', async () => {
  await reviewed([advisory('CVE-2026-1', { accepted: 'not reached' }), { ...advisory('x'), rule: 'risky-code' }], { lock: 'a', daysAgo: LOCK_DAYS - 2 });
  expect(shown(await looked())).toEqual([]);
  await t.ctx.db('review_runs').where({ agent_id: agent.id }).update({ findings: JSON.stringify([advisory('CVE-2026-1')]) }); // prettier-ignore
  const found = await only(looked());
  expect(found).toMatchObject({ category: 'dependencies', severity: 'critical' });
  expect(found.evidence[0]).toMatchObject({ kind: 'advisory', id: 'CVE-2026-1' });
  expect((await looked(3)).created).toMatchObject([{ category: 'dependencies', severity: 'info', title: expect.stringContaining('not changed for 181 days') }]);
  const missing = { ...advisory('y'), rule: 'lock-file', severity: 'warning', title: 'No lock file', message: 'Add it' };
  await t.ctx.db('review_runs').where({ agent_id: agent.id }).update({ findings: JSON.stringify([missing]), lock_sha256: null }); // prettier-ignore
  expect(await looked()).toMatchObject({ created: [{ category: 'dependencies', severity: 'warning' }], expired: 2 });
});

test('findings: critical ones at once, others once they are old; a new one is news', async () => {
  await finding('warning', OLD_FINDING_DAYS - 2);
  expect(shown(await looked())).toEqual([]);
  expect(shown(await looked(3))).toEqual(['findings warning']);
  const first = await finding('critical', 0);
  const found = await only(looked(3));
  expect(found).toMatchObject({ severity: 'critical', evidence: expect.arrayContaining([expect.objectContaining({ kind: 'finding', id: first })]) });
  expect(await looked(3)).toMatchObject({ created: [], expired: 0 });
  const second = await finding('critical', 0);
  const again = await looked(3);
  expect(again).toMatchObject({ created: [{ category: 'findings' }], expired: 1 });
  expect(JSON.stringify(again.created)).toContain(second);
});

test('unused: live for a month and not called in it', async () => {
  expect(shown(await looked(UNUSED_DAYS - 11))).toEqual([]);
  expect(shown(await looked(UNUSED_DAYS - 1))).toEqual([]);
  expect(shown(await looked(UNUSED_DAYS + 1))).toEqual(['unused info']);
  await calls(1, { daysAgo: -UNUSED_DAYS });
  expect(await looked(UNUSED_DAYS + 1)).toMatchObject({ created: [], expired: 1 });
});

test('drift: the source went on a day ago, and nothing of it is under way', async () => {
  const live = await commit('one');
  await t.ctx.db('deployments').where({ deploy_id: deployId }).update({ source_commit: live });
  expect(shown(await looked())).toEqual([]);
  const head = await commit('two');
  await t.ctx
    .db('deployments')
    .where({ deploy_id: deployId })
    .update({ live_at: new Date(NOW - DRIFT.leastHours * 3_500_000) });
  expect(shown(await looked())).toEqual([]);
  await t.ctx
    .db('deployments')
    .where({ deploy_id: deployId })
    .update({ live_at: ago(2) });
  const found = await only(looked());
  expect(found).toMatchObject({ category: 'drift', severity: 'info', source_head_sha: head, idea: expect.stringContaining('svc deploy') });
});
