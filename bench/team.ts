// `node bench/team.ts [rounds]`: a team of 8 agents on a plan of 20 steps that take 500 ms to 2 s of waiting:
// wall time of the plan against the time that the skills themselves take on its longest path. API, worker,
// agents, Temporal and PostgreSQL in processes of their own; PostgreSQL waits for the disk. Target: the
// platform adds less than 15 %. Prints where the time between a step and the next goes; ends with 1 where the
// median misses the target.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AgentCard } from '#contract/wire/card.ts';
import { newId } from '#core/kernel/ids.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createPlan } from '#core/conversation/plan/create.ts';
import { resultIn } from '#core/runs/run/outcome.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import { socketOf } from '#test/support/agent-socket.ts';
import { liveAgent } from '#test/support/runs.ts';
import { benchWorld } from './durable-servers.ts';
import type { TeamAgents } from './team-agents.ts';

const [rounds = 5] = process.argv.slice(2).map(Number);
const MEMBERS = 8;
const TARGET = 0.15;

/** Steps of each layer; a step waits for two of the layer before, so that paths cross. */
const LAYERS = [2, 5, 6, 4, 2, 1];

interface Step {
  ms: number;
  after: number[];
}

/** The times are the same in every round: 500 ms to 2 s. */
function steps(): Step[] {
  const all: Step[] = [];
  let before: number[] = [];
  for (const width of LAYERS) {
    const layer = Array.from({ length: width }, (_, at) => all.length + at + 1);
    for (const number of layer) {
      const after = before.length === 0 ? [] : [before[number % before.length], before[(number + 1) % before.length]];
      all.push({ ms: 500 + ((number * 577) % 1_501), after: [...new Set(after.flatMap((one) => one ?? []))] });
    }
    before = layer;
  }
  return all;
}

/** Of the longest path, by the skills' own times. */
function criticalMs(plan: readonly Step[]): number {
  const ends: number[] = [];
  for (const { ms, after } of plan) ends.push(ms + Math.max(0, ...after.map((number) => ends[number - 1] ?? 0)));
  return Math.max(...ends);
}

const plan = steps();
const critical = criticalMs(plan);
const world = await benchWorld({ durable: true });
const { w } = world;
const skills = [
  {
    id: 'work',
    name: 'work',
    description: 'Works',
    input_schema: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
    output_schema: {},
  },
];
const members: TeamAgents['agents'] = [];
for (let n = 0; n < MEMBERS; n += 1) {
  const agent = await liveAgent(w.t.ctx, w.ada.actor.user_id, { card: { skills } });
  const card = JSON.stringify(AgentCard.parse({ name: agent.name, description: '', version: '1.0.0', skills }));
  for (const table of ['agents', 'deployments'] as const) await w.t.ctx.db(table).where({ agent_id: agent.id }).update({ card });
  const socket = socketOf(w.t.ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(socket), { recursive: true });
  members.push({ name: agent.name, socket, key: Buffer.from(await audienceKey(w.t.ctx, agent.name)).toString('base64url') });
}
const program = fileURLToPath(new URL('./team-agents.ts', import.meta.url));
const child = fork(program, [JSON.stringify({ url: w.url, agents: members } satisfies TeamAgents)], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  execArgv: [],
});
await once(child, 'message');

try {
  process.stdout.write(`${plan.length} steps, ${MEMBERS} agents; the skills' own time on the longest path: ${(critical / 1000).toFixed(2)} s\n`);
  await round();
  const shares: number[] = [];
  const hops: Hop[] = [];
  for (let n = 0; n < rounds; n += 1) {
    const { wall, went } = await round();
    hops.push(...went);
    const share = (wall - critical) / critical;
    shares.push(share);
    process.stdout.write(`round ${n + 1}: ${(wall / 1000).toFixed(2)} s, the platform adds ${percent(share)} (load ${loadavg()[0]?.toFixed(1)})\n`);
  }
  const middle = median(shares);
  console.table({
    'a step that could begin until it is started': ms(hops.map(({ started }) => started)),
    'started until its skill works': ms(hops.map(({ works }) => works)),
    'the skill is done until its run has ended': ms(hops.map(({ ended }) => ended)),
    'its run has ended until the plan knows': ms(hops.map(({ known }) => known)),
  });
  const met = middle < TARGET;
  if (!met) process.exitCode = 1;
  process.stdout.write(
    `median ${percent(middle)} of the skills' own time, best ${percent(Math.min(...shares))} (target < ${percent(TARGET)}): ${met ? 'met' : 'missed'}\n`,
  );
} finally {
  child.kill('SIGKILL');
  await world.close();
}

/** Milliseconds. */
interface Hop {
  started: number;
  works: number;
  ended: number;
  known: number;
}

async function round(): Promise<{ wall: number; went: Hop[] }> {
  const ownerId = w.ada.actor.user_id;
  const nodes = plan.map(({ ms: time, after }, at) => ({
    agent: members[at % MEMBERS]?.name ?? '',
    skill: 'work',
    args: {},
    depends_on: after,
    team: { step: `s${at + 1}`, role: 'worker', brief: { goal: 'Work', files: [], inputs: { ms: time } }, others: [], mayFail: false, gate: false },
  }));
  const began = Date.now();
  const made = await inTx({ ...w.ada, requestId: newId('req') }, async (ctx) => {
    const { dag_run_id, job_id } = await createPlan(ctx, { ownerId, threadId: null, title: 'Team', planner: 'team', nodes });
    await ctx.db('team_runs').insert({ dag_run_id, owner_id: ownerId, plan_id: newId('tpl'), protocol: 'map_reduce', goal: 'Work', budget_micros: 1_000_000, replans_left: 0, evidence: ['receipts'], created_at: new Date() }); // prettier-ignore
    return { dag_run_id, job_id };
  });
  for (;;) {
    const job = await w.t.ctx.db('jobs').where({ job_id: made.job_id }).first('state', 'ended_at', 'error');
    if (job?.state === 'succeeded' && job.ended_at) return { wall: job.ended_at.getTime() - began, went: await hopsOf(made.dag_run_id) };
    if (job?.ended_at) throw new Error(`the team ${job.state}: ${JSON.stringify(job.error)}`);
    await pause(100);
  }
}

async function hopsOf(dagRunId: string): Promise<Hop[]> {
  const rows = await w.t.ctx
    .db('dag_nodes as n')
    .join('runs as r', 'r.run_id', 'n.run_id')
    .join('jobs as j', 'j.job_id', 'n.job_id')
    .where({ 'n.dag_run_id': dagRunId })
    .orderBy('n.number')
    .select<{ depends_on: number[]; started_at: Date; ended_at: Date; run_ended: Date; output: unknown }[]>(
      'n.depends_on',
      'n.started_at',
      'n.ended_at',
      'r.ended_at as run_ended',
      'j.output',
    );
  return rows.flatMap((row): Hop[] => {
    // Safe: team-agents.ts answers this.
    const { began, ended } = resultIn(row.output) as { began: number; ended: number };
    const before = row.depends_on.map((number) => rows[number - 1]?.run_ended.getTime() ?? 0);
    if (before.length === 0) return [];
    return [
      {
        started: row.started_at.getTime() - Math.max(...before),
        works: began - row.started_at.getTime(),
        ended: row.run_ended.getTime() - ended,
        known: row.ended_at.getTime() - row.run_ended.getTime(),
      },
    ];
  });
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
}

function ms(all: readonly number[]): string {
  return `median ${median(all).toFixed(0)} ms, p95 ${(all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? Number.NaN).toFixed(0)} ms`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
