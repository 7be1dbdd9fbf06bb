// Answers to hosts about connections: by written rules and the fixed policy, of the run or the agent that
// connects, and what is recorded of it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { NetworkAnswer } from '#drivers/runtime/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { type ScriptedRuntime, scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { newId } from '../../kernel/ids.ts';
import { inTx } from '../../kernel/tx.ts';
import { listDecisions } from '../../policy/cedar/decisions.ts';
import { saveRules } from '../../policy/cedar/rules.ts';
import { listDenials } from '../../overview/control-room/denials.ts';
import { setPolicy } from '../../overview/control-room/set-policy.ts';
import { answerHost } from './egress.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let runtime: ScriptedRuntime;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());
beforeEach(async () => {
  runtime = scriptedRuntime();
  ada = await t.user(`ada-${newId('usr').slice(-8)}`);
  agent = await liveAgent(t.ctx, ada.actor.user_id);
});

const rules = (version: number, text: string, user = ada) =>
  saveRules(user, { policies: [{ name: 'the-rule', text }], version, default_outcome: 'allow', record_allowed: true });
const NO_X = 'forbid(principal, action in Action::"egress", resource in Host::"x.test");';

/** As the host would ask, and the worker answers. */
async function connect(host: string, guest = agent.instanceId): Promise<NetworkAnswer | undefined> {
  const question_id = randomUUID();
  runtime.questions.push({ question_id, guest, host, port: 443 });
  await answerHost({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 10);
  return runtime.answers.find((one) => one.question_id === question_id);
}
const denials = async () =>
  (await listDenials(ada, { limit: 20 })).items.map(({ action, rule, resource, run_id, agent: name, count }) => [action, rule, resource, run_id, name, count]);

test('a rule holds for connections from the moment it is saved, and stops holding when it is taken back', async () => {
  expect(await connect('api.x.test')).toMatchObject({ allowed: true });
  await rules(0, NO_X);
  await vi.waitFor(async () =>
    expect(await connect('api.x.test')).toMatchObject({ allowed: false, reason: expect.stringContaining('policy_denied: the-rule') }),
  );
  await vi.waitFor(async () => {
    await connect('y.test');
    expect(runtime.asks).toBe(true);
  }, 5_000);
  expect(await connect('y.test')).toMatchObject({ allowed: true });
  await rules(1, 'forbid(principal, action in Action::"egress", resource in Host::"y.test");');
  await vi.waitFor(async () => expect(await connect('y.test')).toMatchObject({ allowed: false }));
  expect(await connect('api.x.test')).toMatchObject({ allowed: true });
});

test('a refusal is a denial, an audit row and an event of the run that is open in the machine; the next attempts are counted', async () => {
  await rules(0, NO_X);
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  await connect('x.test');
  await connect('x.test');
  expect(await denials()).toEqual([['egress', 'the-rule', 'x.test:443', run.actor.run_id, agent.name, 2]]);
  const audited = await t.ctx.db('audit_log').where({ action: 'policy.deny', target_id: ada.actor.user_id });
  expect(audited).toHaveLength(1);
  // Asked once: what was said is believed while the rules are the same.
  const { items } = await listDecisions(ada, { limit: 20, action: 'egress' });
  expect(items).toMatchObject([{ outcome: 'deny', principal: { type: 'Run', id: run.actor.run_id }, resource: { id: 'x.test:443' } }]);
});

test("a rule of the run's caller holds too; where several runs are open, the agent is asked by its owner's rules", async () => {
  const ben = await t.user(`ben-${newId('usr').slice(-8)}`);
  await rules(0, NO_X, ben);
  const run = runOf(t.ctx, agent, ben.actor.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  await vi.waitFor(async () => expect(await connect('x.test')).toMatchObject({ allowed: false }));
  const other = runOf(t.ctx, agent, ada.actor.user_id);
  await inTx(other, (ctx) => ensureRun(ctx));
  expect(await connect('x.test')).toMatchObject({ allowed: true });
});

test('where a person would be asked the connection is refused, and the denial says why', async () => {
  await rules(0, 'forbid(principal, action == Action::"egress_without_approval", resource in Host::"x.test");');
  await vi.waitFor(async () => expect(await connect('x.test')).toMatchObject({ allowed: false, reason: expect.stringContaining('cannot wait for a person') }));
  expect((await listDenials(ada, { limit: 1 })).items).toMatchObject([{ outcome: 'deny', message: expect.stringContaining('cannot wait for a person') }]);
});

test('rules that break deny, and so does the fixed policy; a machine that is not known reaches nothing', async () => {
  await rules(0, 'forbid(principal, action in Action::"egress", resource) when { (context.time.hour + 2) * 9223372036854775807 < 0 };');
  await vi.waitFor(async () => expect(await connect('x.test')).toMatchObject({ allowed: false }));
  await rules(1, NO_X);
  await setPolicy({ ...ada, drivers: { ...ada.drivers, runtime } }, { deny_external_network: true });
  await vi.waitFor(async () => expect(await connect('z.test')).toMatchObject({ allowed: false, reason: expect.stringContaining('deny_external_network') }));
  expect(await connect('z.test', 'ins_unknown')).toMatchObject({ allowed: false });
});

test('an open sandbox is of the run that made it', async () => {
  await rules(0, NO_X);
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  const sandbox = {
    sandbox_id: newId('sbx'),
    agent_id: agent.id,
    scope: 's',
    name: 's',
    run_id: run.actor.run_id,
    node: 'local',
    image: 'python',
    state: 'running' as const,
  };
  await t.ctx.db('sandboxes').insert(sandbox);
  await vi.waitFor(async () => expect(await connect('x.test', sandbox.sandbox_id)).toMatchObject({ allowed: false }));
  expect(await connect('y.test', sandbox.sandbox_id)).toMatchObject({ allowed: true });
});

test('a guest that tries names without end fills nothing', async () => {
  await rules(0, 'forbid(principal, action in Action::"egress", resource);');
  await vi.waitFor(async () => expect(await connect('h.test')).toMatchObject({ allowed: false }));
  for (let round = 0; round < 22; round += 1) {
    runtime.questions.push(
      ...Array.from({ length: 10 }, (_, n) => ({ question_id: randomUUID(), guest: agent.instanceId, host: `h${round}-${n}.test`, port: 443 })),
    );
    await answerHost({ ...t.ctx, drivers: { ...t.ctx.drivers, runtime } }, 10);
  }
  const rows = await t.ctx.db('policy_denials').where({ user_id: ada.actor.user_id });
  expect(rows.length).toBeLessThanOrEqual(212);
  expect(rows.find(({ resource }) => resource === '…')?.count).toBeGreaterThan(5);
});
