// `node bench/proofs.ts [times]`: what a proof of a warm agent adds to the call that it makes, in one run and
// in turn: a call through the API; a durable run of the same skill, from its start until its row says that it
// ended; a proof, from its start until it is signed. Target: less than 150 ms more than the call.
import { setTimeout as pause } from 'node:timers/promises';
import { ProofRunIn } from '#contract/quality/agent-proofs.ts';
import { newId } from '#core/kernel/ids.ts';
import { runProof } from '#core/quality/proof/begin.ts';
import { durableRuns } from '#test/support/durable/runs.ts';
import { benchWorld } from './durable-servers.ts';
import { median, printAdded } from './ratio.ts';

const TIMES = Number(process.argv[2] ?? 60);
const WARM_UP = 5;
const LOOK_MS = 2;
const TARGET_MS = 150;

const { w, close } = await benchWorld({ durable: true });
const runs = durableRuns(() => w);
try {
  const took = { call: [] as number[], run: [] as number[], proof: [] as number[] };
  for (let n = -WARM_UP; n < TIMES; n += 1) {
    const times = { call: await timed(() => call(n)), run: await timed(() => run(n)), proof: await timed(() => proof(n)) };
    if (n < 0) continue;
    took.call.push(times.call);
    took.run.push(times.run);
    took.proof.push(times.proof);
  }
  for (const [name, all] of Object.entries(took)) process.stdout.write(`${name.padEnd(6)} p50 ${median(all).toFixed(1)} ms\n`);
  const added = took.proof.map((ms, n) => ms - (took.call[n] ?? Number.NaN));
  printAdded({ name: 'proof over its call', ms: median(added), spread: [Math.min(...added), Math.max(...added)], target: TARGET_MS });
} finally {
  await close();
}

async function call(n: number): Promise<void> {
  const response = await runs.invoke('add', { a: n, b: 1 });
  if (!response.ok) throw new Error(`the call was answered ${response.status}`);
  await response.json();
}

async function run(n: number): Promise<void> {
  const { run_id } = await runs.start('add', { a: n, b: 1 });
  await until(async () => (await w.t.ctx.db('runs').where({ run_id }).first('ended_at'))?.ended_at != null);
}

async function proof(n: number): Promise<void> {
  const input = ProofRunIn.parse({ skill_name: 'add', args: { a: n, b: 1 } });
  const { proof_id } = await runProof({ ...w.ada, requestId: newId('req') }, { ...input, name: w.agent.name, key: undefined });
  await until(async () => (await w.t.ctx.db('agent_proofs').where({ proof_id }).first('token'))?.token != null);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await pause(LOOK_MS);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
