// `node bench/chat.ts [turns]`: a chat turn without a model against the skill call it makes, both through the
// API's verbs, one agent process on its instance's socket. The turn is driven by the API process at once, as
// it is in service; there is no workflow engine, so its drivers take no part. Target: overhead p50 < 60 ms.
import { randomBytes } from 'node:crypto';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { socketOf } from '#test/support/agent-socket.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { followers } from '#core/followers.ts';
import { invokeSkill } from '#test/support/calls.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { startListener } from '#core/jobs/wakeups.ts';
import { sendMessage } from '#core/conversation/chat/send.ts';
import { createPool } from '#db/pool.ts';
import { openDrivers, openTraces } from '#drivers/open.ts';
import { liveAgent } from '#test/support/runs.ts';
import { addUser, userActor } from '#test/support/verbs.ts';
import { benchCluster } from './database.ts';

const turns = Number(process.argv[2] ?? 100);
const cluster = await benchCluster();
const stateDir = await mkdtemp(join(tmpdir(), 'svc-bench-chat-'));
const secretsDir = join(stateDir, 'secrets');
await mkdir(secretsDir, { mode: 0o700 });
await writeFile(join(secretsDir, 'platform.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
const url = await cluster.create();
const db = createPool({ connectionString: url });
const temporal = { address: '127.0.0.1:1', namespace: 'svc' };
const [drivers, wakeups] = await Promise.all([
  openDrivers({ stateDir, secretsDir, hostSocket: join(stateDir, 'run', 'host.sock'), temporal }),
  startListener(url),
]);
const user = await addUser(db, 'ada');
const ctx: Ctx = {
  actor: userActor(user, 'ada'),
  config: { baseUrl: 'http://localhost:8080', agentsDomain: 'localhost:8080' },
  db,
  drivers: { ...drivers, wakeups, traces: openTraces(db) },
  followers,
  clock: Date.now,
  requestId: newId('req'),
};
const agent = await liveAgent(ctx, user);
const number = { type: 'number' };
const input_schema = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const card = JSON.stringify(
  AgentCard.parse({ name: agent.name, description: '', version: '1.0.0', skills: [{ id: 'add', name: 'add', input_schema, output_schema: {} }] }),
);
await db('agents').where({ agent_id: agent.id }).update({ card });
await db('deployments').where({ deploy_id: agent.deployId }).update({ card });
const socket = socketOf(drivers.runtime.address(agent.instanceId));
await mkdir(dirname(socket), { recursive: true });
const program = fileURLToPath(new URL('../test/support/durable/agent.ts', import.meta.url));
const child = fork(program, [socket, 'http://127.0.0.1:9', join(stateDir, 'notes')], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
await once(child, 'message');

try {
  const call = (n: number): Promise<unknown> =>
    invokeSkill(ctx, { name: agent.name, skill_name: 'add', args: { a: n, b: 1 }, accept: 'application/json', signal: AbortSignal.timeout(30_000) });
  const { thread_id } = await turn(0);
  for (let n = 0; n < 10; n += 1) await Promise.all([call(n), turn(n, thread_id)]);
  const calls: number[] = [];
  const turnTimes: number[] = [];
  for (let n = 0; n < turns; n += 1) {
    calls.push(await timed(() => call(n)));
    turnTimes.push(await timed(() => turn(n, thread_id)));
  }
  const [plain, whole] = [median(calls), median(turnTimes)];
  console.table({
    'skill call p50': ms(plain),
    'chat turn p50': ms(whole),
    'overhead p50': `${ms(whole - plain)} (target < 60 ms)`,
    'chat turn p95': ms(turnTimes.toSorted((a, b) => a - b)[Math.floor(turnTimes.length * 0.95)] ?? Number.NaN),
  });
} finally {
  child.kill('SIGKILL');
  await wakeups.close();
  await Promise.all([drivers.agentPools.close(), drivers.workflows.close()]);
  await db.destroy();
  await cluster.stop();
  await rm(stateDir, { recursive: true, force: true });
}

async function turn(n: number, thread_id?: string): Promise<{ thread_id: string }> {
  const message = `@${agent.name}.add {"a": ${n}, "b": 1}`;
  const done = await sendMessage(
    { ...ctx, requestId: newId('req') },
    { message, thread_id, model: false, waitSeconds: 30, signal: AbortSignal.timeout(60_000) },
  );
  if (done.state !== 'succeeded') throw new Error(`the turn is ${done.state}: ${JSON.stringify(done.error)}`);
  return done;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
