// Hosts get the policy for the outside, whenever it changed; refusals are recorded once.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { type ScriptedRuntime, scriptedRuntime } from '#test/support/scripted-runtime.ts';
import { resolveRoute } from '../../agents/route/resolve.ts';
import { inTx } from '../../kernel/tx.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { newCall } from '../../runs/call/call.ts';
import { noteCalls } from '../../runs/call/open-calls.ts';
import { listDenials } from '../../overview/control-room/denials.ts';
import { setPolicy } from '../../overview/control-room/set-policy.ts';
import { createSandbox } from '../../runs/sandbox/create.ts';
import { takeNetworkDenials, tellHost } from './network.ts';

let t: TestContext;
let ada: TestUser;
let agent: LiveAgent;
let runtime: ScriptedRuntime;
beforeAll(async () => void (t = await testContext()));
afterAll(() => t.close());
beforeEach(async () => {
  const user = await t.user('ada');
  runtime = scriptedRuntime();
  ada = { ...user, drivers: { ...user.drivers, runtime } };
  agent = await liveAgent(t.ctx, ada.actor.user_id);
  await t.ctx.db('policy_network_positions').delete();
});
const platform = () => ({ ...t.ctx, drivers: ada.drivers });
const started = () =>
  runtime.start(
    { instance_id: agent.instanceId, agent: agent.name, deployment_id: agent.deployId, image: 'sha256:1', env: {}, secrets: {}, api_key: '', grant_key: '', resources: { memory_mib: 1, cpu_millis: 1 }, egress: { allow_hosts: [], allow_internal_services: [] } }, // prettier-ignore
    () => undefined,
    new AbortController().signal,
  );
const isDenied = () => runtime.running.get(agent.instanceId)?.egress.deny_external;
const stored = async () => (await t.ctx.db('instances').where({ instance_id: agent.instanceId }).first('network_denied'))?.network_denied;

test('a change is sent at once; the loop sends it to a machine that did not exist yet', async () => {
  expect(await setPolicy(ada, { deny_external_network: true })).toMatchObject({ machines_pending: 1 });
  await started();
  expect([await tellHost(platform(), 'elsewhere'), isDenied()]).toEqual([0, undefined]);
  expect([await tellHost(platform(), 'local'), isDenied(), await stored()]).toEqual([1, true, true]);
  expect(await tellHost(platform(), 'local')).toBe(0);
  expect(await setPolicy(ada, { deny_external_network: false })).toMatchObject({ machines_pending: 0, loosened: ['deny_external_network'] });
  expect([isDenied(), await stored()]).toEqual([false, false]);
});

const denial = (seq: number, host: string) => ({ seq, instance_id: agent.instanceId, host, port: 443, count: 1, at: Date.now() });
const denials = async () =>
  (await listDenials(ada, { limit: 20 })).items.map(({ action, resource, run_id, agent: name, count }) => [action, resource, run_id, name, count]);

test('what a host refused is recorded once, of the run that was open in the machine, where it is one', async () => {
  await setPolicy(ada, { deny_external_network: true });
  runtime.denied = [denial(1, 'x.test')];
  expect(await takeNetworkDenials(platform(), 'local')).toBe(1);
  // Taken again by a worker that starts anew: nothing new.
  expect(await takeNetworkDenials(platform(), 'local')).toBe(0);
  expect(await denials()).toEqual([['egress', 'x.test:443', null, agent.name, 1]]);
  const run = runOf(t.ctx, agent, ada.actor.user_id);
  await inTx(run, (ctx) => ensureRun(ctx));
  runtime.denied = [denial(2, 'y.test'), denial(3, 'y.test')];
  expect(await takeNetworkDenials(platform(), 'local')).toBe(2);
  expect((await denials())[0]).toEqual(['egress', 'y.test:443', run.actor.run_id, agent.name, 2]);
  // A second one, which only computes: now it is unknown which it was.
  const route = await resolveRoute(t.ctx, agent.name);
  if (!route) throw new Error('no route');
  const other = runOf(t.ctx, agent, ada.actor.user_id);
  const caller = { kind: 'user' as const, id: ada.actor.user_id, userId: ada.actor.user_id };
  await noteCalls(t.ctx.db, [newCall(t.ctx, { caller, route, skill: 'work', inputSha256: 'a'.repeat(64), run: other.actor, grantId: null })]);
  runtime.denied = [denial(4, 'z.test')];
  await takeNetworkDenials(platform(), 'local');
  expect((await denials())[0]).toEqual(['egress', 'z.test:443', null, agent.name, 1]);
});

test('a sandbox gets no network either', async () => {
  const open = await liveAgent(t.ctx, ada.actor.user_id, {
    card: { runtime: { resources: { max_runtime_seconds: 30 }, egress: { allow_hosts: ['x.test'] } } },
  });
  await setPolicy(ada, { deny_external_network: true });
  const run = { ...runOf(t.ctx, open, ada.actor.user_id), drivers: { ...t.ctx.drivers, sandbox: t.ctx.drivers.sandbox } };
  const asked = { name: 's', image: 'python', memory_mib: 256, cpus: 1, workspace: null, secrets: {}, egress: ['x.test'], labels: {} };
  await expect(createSandbox(run, asked)).rejects.toMatchObject({ code: 'policy_denied' });
  expect(await denials()).toEqual([['egress', 'x.test', run.actor.run_id, open.name, 1]]);
});
