// `node bench/policy.ts`: what the policy check adds to a call. Two accounts make the same calls of one
// agent, in turns, one call after the other: one has set a policy whose every member is in force, the other
// none. Calls of a person ask nothing; calls of a run ask, and count. Target: less than 2 ms at p50.
import { createServer } from 'node:http';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { invokeSkill } from '#test/support/calls.ts';
import { setPolicy } from '#core/overview/control-room/set-policy.ts';
import { checkPolicy } from '#core/policy/check.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { testContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent, runOf } from '#test/support/runs.ts';
import { benchCluster } from './database.ts';
import { median, rounds } from './ratio.ts';

const CALLS = 100;
const CHECKS = 20_000;
const TARGET_MS = 2;

const cluster = await benchCluster();
const t = await testContext({ databaseUrl: await cluster.create() });
const [free, held] = [await t.user('free'), await t.user('held')];
const owner = await t.user('owner');
const callee = await liveAgent(t.ctx, owner.actor.user_id, { visibility: 'public' });
const callers = new Map<TestUser, LiveAgent>([
  [free, await liveAgent(t.ctx, free.actor.user_id)],
  [held, await liveAgent(t.ctx, held.actor.user_id)],
]);
await setPolicy(held, {
  max_agent_calls_per_run: 100_000,
  only_approved_agents: true,
  approved_agents: [callee.name, ...Array.from({ length: 200 }, (_one, n) => `other-${n}`)],
  require_approval_for_file_writes: true,
  pii_safe_mode: true,
});

const agent = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end('{"greeting":"hello"}');
});
const path = socketOf(t.ctx.drivers.runtime.address(callee.instanceId));
await mkdir(dirname(path), { recursive: true });
await new Promise<void>((resolve) => agent.listen(path, resolve));

try {
  for (const by of ['person', 'run'] as const) {
    const all: { without: number; with: number }[] = [];
    // One of each in turns, so that what else the machine does meets both.
    for (let n = 0; n < CALLS * rounds(5); n += 1) {
      const took = new Map<TestUser, number>();
      for (const who of n % 2 === 0 ? [free, held] : [held, free]) took.set(who, await call(who, by));
      // The first ones fill caches.
      if (n >= 20) all.push({ without: took.get(free) ?? Number.NaN, with: took.get(held) ?? Number.NaN });
    }
    const [without, withPolicy] = [median(all.map((one) => one.without)), median(all.map((one) => one.with))];
    const added = withPolicy - without;
    process.stdout.write(`a call of a ${by} at p50: without a policy ${without.toFixed(2)} ms, with one ${withPolicy.toFixed(2)} ms, added ${added.toFixed(2)} ms, target less than ${TARGET_MS} ms: ${added < TARGET_MS ? 'met' : 'missed'}\n`); // prettier-ignore
  }
  for (const [name, who] of [['without', free], ['with', held]] as const) process.stdout.write(`one check ${name} a policy: ${(await check(who)).toFixed(2)} µs\n`); // prettier-ignore
} finally {
  agent.closeAllConnections();
  agent.close();
  await t.close();
  await cluster.stop();
}

/** Milliseconds. */
async function call(who: TestUser, by: 'person' | 'run'): Promise<number> {
  const ctx = by === 'person' ? who : runOf(t.ctx, callerOf(who), who.actor.user_id);
  const began = performance.now();
  const { status } = await invokeSkill(ctx, {
    name: callee.name,
    skill_name: 'greet',
    args: {},
    accept: 'application/json',
    signal: new AbortController().signal,
  });
  if (status !== 200) throw new Error(`a call was answered ${status}`);
  return performance.now() - began;
}

/** Microseconds of one check, without a call. */
async function check(who: TestUser): Promise<number> {
  const ctx = runOf(t.ctx, callerOf(who), who.actor.user_id);
  const question = { action: 'handoff', accounts: [who.actor.user_id], resource: { type: 'Agent', name: callee.name }, agent: callee.name } as const;
  const began = performance.now();
  for (let n = 0; n < CHECKS; n += 1) await checkPolicy(ctx, question);
  return ((performance.now() - began) * 1000) / CHECKS;
}

function callerOf(who: TestUser): LiveAgent {
  const callerAgent = callers.get(who);
  if (!callerAgent) throw new Error('every account has an agent');
  return callerAgent;
}
