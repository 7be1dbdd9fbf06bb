// Dossier, evidence and insights in a terminal, over the real routes and a real database.
import { expect, test } from 'vitest';
import { agentEvidenceRoutes } from '#api/routes/evidence/agent-evidence.ts';
import { agentInsightRoutes } from '#api/routes/evidence/agent-insights.ts';
import { serveForTest, TEST_ACTORS } from '#api/http/test/serve.ts';
import { agentEvidence } from '#contract/evidence/agent-evidence.ts';
import { agentInsights } from '#contract/evidence/agent-insights.ts';
import { fillReceipts } from '#core/evidence/test/fill.ts';
import { populate } from '#core/evidence/test/populate.ts';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent } from '#test/support/verbs.ts';
import { cites } from '#test/spec/verifies.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { instantOf } from '../../receipt/words.ts';
import { signedIn, toolAt } from '../../test/signed-in.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
for (const actor of Object.values(TEST_ACTORS)) {
  if (actor.kind === 'user') await db('users').insert({ user_id: actor.user_id, issuer: 'test', subject: actor.user_id, email: actor.email });
}
const { id, name } = await addAgent(db, 'usr_ada', { live: true, visibility: 'public' });
const row = await db('agents').where({ agent_id: id }).first('live_deploy_id');
await populate(db, { agentId: id, name, ownerId: 'usr_ada', otherId: 'usr_ben', deployId: row?.live_deploy_id ?? '' });
await fillReceipts(db, {
  agentId: id,
  deployId: null,
  callers: ['usr_ada', 'usr_ben'],
  count: 100,
  everySeconds: 60,
  until: new Date(Date.now() - 60_000).toISOString(),
});

const api = await serveForTest({ agentEvidence, agentInsights }, { agentEvidence: agentEvidenceRoutes, agentInsights: agentInsightRoutes }, { db });
const { tool } = await toolAt({
  url: api.url,
  async close() {
    await api.close();
    await db.destroy();
  },
});
const run = (...argv: string[]) => tool.run(argv, signedIn);
const asBen = (...argv: string[]) => tool.run(argv, { env: { SVC_TOKEN: 'ben' } });

test('dossier says what was checked; a script can stop where something is open', cites('agentEvidence.dossier'), async () => {
  const { code, out } = await run('dossier', name);
  expect(code).toBe(EXIT.ok);
  expect(out).toMatch(/Trust +reviewed:/);
  expect(out).toMatch(/Risk +nothing is open/);
  expect(await run('dossier', name, '--fail-on-risk')).toMatchObject({ code: EXIT.ok });
  await db('review_runs').where({ agent_id: id }).update({ state: 'errored' });
  expect(await run('dossier', name, '--fail-on-risk')).toMatchObject({ code: EXIT.failure, out: expect.stringContaining('neither a review nor a proof') });
  expect((await asBen('dossier', name)).err).toContain('Not shown to you: callers, findings');
  expect(JSON.parse((await run('dossier', name, '--json')).out)).toMatchObject({ agent: name });
});

test('evidence pages through the timeline, and shows the graph', cites('agentEvidence.timeline', 'agentEvidence.dag'), async () => {
  expect((await run('evidence', name, '--limit', '60')).out.trim().split('\n')).toHaveLength(61);
  expect(JSON.parse((await run('evidence', name, '--limit', '1000', '--json')).out).length).toBeGreaterThan(100);
  expect((await run('evidence', name, '--lane', 'quality')).out).toContain('Trial on cases');
  expect((await run('evidence', name, '--lane', 'money')).err).toContain('--lane must be one of version, authority');
  const { out, err } = await run('evidence', name, '--dag', '--limit', '30');
  expect(out).toContain(`deploys_version  version:1.0.0`);
  expect(out).toContain('deployments.version');
  expect(err).toContain('There is older evidence');
});

test(
  'insights counts calls, failures by cause and groups; payouts have no amount without a price',
  cites('agentInsights.calls', 'agentInsights.payouts'),
  async () => {
    const { out } = await run('insights', name, '--since', '24h', '--by', 'skill');
    expect(out).toMatch(/all +102 +14 +13\.7 %/);
    expect(out).toContain('agent_timeout');
    expect(out).toMatch(/SKILL +CALLS/);
    const paid = await run('insights', name, '--payouts');
    expect(paid.out).toMatch(/greet +\d+ +no price/);
    expect(paid.err).toContain('No price is set');
    expect(await asBen('insights', name)).toMatchObject({ code: EXIT.failure });
    expect((await run('insights', name, '--since', 'yesterday')).err).toContain('--since must be an instant');
  },
);

test('an instant is RFC 3339, a day, or a time ago', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  expect(['90m', '24h', '7d', '2w', '2026-11-20', '2026-11-20T01:00:00+02:00'].map((text) => instantOf('--since', text, now))).toEqual([
    '2026-11-20T10:30:00.000Z',
    '2026-11-19T12:00:00.000Z',
    '2026-11-13T12:00:00.000Z',
    '2026-11-06T12:00:00.000Z',
    '2026-11-20T00:00:00.000Z',
    '2026-11-19T23:00:00.000Z',
  ]);
  for (const text of ['7', '2026', '2026-13-40', 'x2026-11-20', '']) expect(() => instantOf('--since', text, now)).toThrow('--since');
});
