// The control room in a terminal: what is set, spent and refused, and parts that do not exist.
import { expect, test } from 'vitest';
import { serveForTest, TEST_ACTORS } from '#api/http/test/serve.ts';
import { controlRoomRoutes } from '#api/routes/overview/control-room.ts';
import { controlRoom } from '#contract/overview/control-room.ts';
import { recordDenial } from '#core/policy/deny.ts';
import { createPool } from '#db/pool.ts';
import { cites } from '#test/spec/verifies.ts';
import { testDatabase } from '#test/support/servers.ts';
import { testCtx } from '#test/support/verbs.ts';
import { signedIn, toolAt } from '../test/signed-in.ts';

const db = createPool({ connectionString: (await testDatabase()).url });
for (const actor of Object.values(TEST_ACTORS)) {
  if (actor.kind === 'user') await db('users').insert({ user_id: actor.user_id, issuer: 'test', subject: actor.user_id, email: actor.email });
}
const api = await serveForTest({ controlRoom }, { controlRoom: controlRoomRoutes }, { db });
const { tool } = await toolAt({
  url: api.url,
  async close() {
    await api.close();
    await db.destroy();
  },
});
const run = (...argv: string[]) => tool.run(['control-room', ...argv], signedIn);

test('one screen of an account, empty and with what was refused', cites('controlRoom.get'), async () => {
  expect((await run()).out).toMatch(/0 waiting, 0 running, .*Policy: not set/);
  const ctx = testCtx(db, { actor: { kind: 'platform', service: 'test' } });
  const denial = { account_id: 'usr_ada', action: 'egress' as const, outcome: 'deny' as const, rule: 'no-x', resource: 'x.test:443', message: 'A rule denies it', policy_version: 0, policy_sha256: '0'.repeat(64), decision_id: null }; // prettier-ignore
  await recordDenial(ctx, denial, { run_id: null, agent_name: 'painter', job_id: null });
  expect((await run()).out).toMatch(/REFUSED[\s\S]*egress: x\.test:443 +no-x +painter/);
  expect(JSON.parse((await run('--json')).out)).toMatchObject({ denials: [{ rule: 'no-x' }], policy: { set: false } });
});

test('a wait whose request was cleared is shown without what it no longer says', async () => {
  const wait = { wait_id: 'wait_1', kind: 'handoff_approval' as const, asked_of: 'usr_ada', prompt: '', request: '{}' };
  await db('waits').insert({ ...wait, expires_at: new Date(Date.now() + 600_000) });
  const { out } = await run();
  expect(out).toContain('May another agent be called?');
  expect(out).not.toContain('undefined');
});
