// `node bench/evidence.ts [receipts]`: dossier, graph, timeline and insights of an agent with 1,000 receipts and of one with 1,000,000 (or `receipts`), asked in
// turn: medians and p95, each the median of several rounds. Ends with 1 when a p95 of the large one is above 100 ms, or above 1.5 times the small one's
// (below FLOOR_MS the noise of a shared machine is larger than what there is to compare: what is quicker counts as FLOOR_MS).
import { fileURLToPath } from 'node:url';
import { countCalls } from '#core/evidence/insights/count-calls.ts';
import { fillReceipts } from '#core/evidence/test/fill.ts';
import { createPool } from '#db/pool.ts';
import { testCtx } from '#test/support/verbs.ts';
import { ACCOUNT, BEARER, serveApi } from './api-part.ts';
import { benchCluster } from './database.ts';
import { type BenchPart, percentile, startPart } from './load.ts';
import { median } from './ratio.ts';

const file = fileURLToPath(import.meta.url);
const SMALL = 1_000;
const ROUNDS = 5;
const REQUESTS = 40;
const WARM_UP = 10;
const TARGET = { ratio: 1.5, ms: 100 };
const FLOOR_MS = 10;
const YEAR_SECONDS = 365 * 86_400;
const AGENT = 'agt_00000000-0000-7000-8000-000000000001';
const NAME = 'measured';

const base = `/v1/agents/${NAME}`;
const from = (days: number): string => new Date(Date.now() - days * 86_400_000 - 1_234_567).toISOString();
/** Not of the target: insights have no number, but are held against the same. */
const ROUTES: Record<string, string> = {
  dossier: `${base}/dossier`,
  'dag, 250 nodes': `${base}/evidence-dag`,
  'timeline, 100 lines': `${base}/evidence-timeline`,
  'timeline, one lane': `${base}/evidence-timeline?lane=quality`,
  'insights, 7 days': `${base}/insights/calls?from=${from(7)}&by=skill`,
  'insights, 30 hours by hour': `${base}/insights/calls?from=${from(1.25)}&bucket=hour`,
  'insights, a year': `${base}/insights/calls?from=${from(364)}&by=version`,
  'payouts, a year': `${base}/insights/payouts`,
};
const TARGETED = 4;

if (process.argv[2] === 'api') process.send?.(await serveApi(process.env.BENCH_DATABASE ?? ''));
else await compare(Number(process.argv[2] ?? 1_000_000));

async function compare(large: number): Promise<void> {
  const cluster = await benchCluster();
  const parts: BenchPart[] = [];
  try {
    for (const receipts of [SMALL, large]) parts.push(await serveWith(await cluster.create(), receipts));
    const [small, big] = parts.map((part) => part.url);
    const missed: string[] = [];
    print('route', '1 k p50', 'p95', `${large} p50`, 'p95', 'ratio');
    for (const [at, [name, path]] of Object.entries(ROUTES).entries()) {
      const [before, after] = await timesOf(`${small}${path}`, `${big}${path}`);
      const holds = after.p95 <= TARGET.ms && Math.max(after.p95, FLOOR_MS) <= TARGET.ratio * Math.max(before.p95, FLOOR_MS);
      if (!holds && at < TARGETED) missed.push(name);
      print(
        name,
        ms(before.p50),
        ms(before.p95),
        ms(after.p50),
        ms(after.p95),
        `${(after.p95 / before.p95).toFixed(2)}x`,
        holds ? '' : at < TARGETED ? 'missed' : 'no target',
      );
    }
    process.stdout.write(
      `p95 at most ${TARGET.ms} ms and ${TARGET.ratio}x (what takes less than ${FLOOR_MS} ms counts as ${FLOOR_MS} ms): ${missed.length === 0 ? 'met' : `missed by ${missed.join(', ')}`}\n`,
    );
    if (missed.length > 0) process.exitCode = 1;
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await cluster.stop();
  }
}

/** A year of calls by three callers in turn, and the loop that counts them, once through. */
async function serveWith(connectionString: string, receipts: number): Promise<BenchPart> {
  const db = createPool({ connectionString, max: 1 });
  const owner = ACCOUNT.user_id;
  await db('users').insert([ACCOUNT, { ...ACCOUNT, user_id: 'usr_other', subject: 'other', email: 'other@svc.local' }]);
  await db('agents').insert({ agent_id: AGENT, name: NAME, owner_id: owner, kind: 'hosted', visibility: 'public', skills: ['greet', 'count'] });
  await db('jobs').insert({ job_id: 'job_1', kind: 'deploy', state: 'succeeded', title: 'Deploy', owner_id: owner, agent_id: AGENT, ended_at: new Date() });
  await db('deployments').insert({
    deploy_id: 'dep_1',
    agent_id: AGENT,
    number: 1,
    state: 'live',
    job_id: 'job_1',
    created_by: owner,
    version: '1.0.0',
    entrypoint: 'agent:A',
    manifest: '{}',
    source_key: 'k',
    source_sha256: '0'.repeat(64),
    source_bytes: 1,
    live_at: new Date(),
  });
  await db('agents').where({ agent_id: AGENT }).update({ live_deploy_id: 'dep_1' });
  await db('review_runs').insert({ review_id: 'rev_1', agent_id: AGENT, deploy_id: 'dep_1', state: 'passed', ended_at: new Date() });
  const began = performance.now();
  // Rows are not compared with what they refer to, which takes most of the time.
  await db.raw('set session_replication_role = replica');
  await fillReceipts(db, {
    agentId: AGENT,
    deployId: 'dep_1',
    callers: [owner, 'usr_other', null],
    count: receipts,
    everySeconds: YEAR_SECONDS / receipts,
    until: new Date().toISOString(),
    skills: ['greet', 'count'],
  });
  await db.raw('set session_replication_role = origin');
  const filled = performance.now();
  await countCalls(testCtx(db, { actor: { kind: 'platform', service: 'bench' } }));
  const counted = (performance.now() - filled) / 1000;
  const rows = await db('call_counts').count<{ count: string }[]>();
  await db.raw('vacuum analyze');
  process.stdout.write(
    `${receipts} receipts: stored in ${((filled - began) / 1000).toFixed(1)} s, counted in ${counted.toFixed(1)} s (${Math.round(receipts / counted)} a second) into ${rows[0]?.count} rows\n`,
  );
  await db.destroy();
  return startPart(file, 'api', { BENCH_DATABASE: connectionString });
}

function print(name: string, ...cells: string[]): void {
  process.stdout.write(`${name.padEnd(28)} ${cells.map((cell) => cell.padStart(11)).join(' ')}\n`);
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

interface Times {
  p50: number;
  p95: number;
}

/** Medians over the rounds, in milliseconds. */
async function timesOf(small: string, big: string): Promise<[Times, Times]> {
  await ask(small, big, WARM_UP);
  const rounds: [number[], number[]][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await ask(small, big, REQUESTS));
  const of = (side: 0 | 1): Times => ({
    p50: median(rounds.map((round) => percentile(round[side], 50))),
    p95: median(rounds.map((round) => percentile(round[side], 95))),
  });
  return [of(0), of(1)];
}

/** Asked in turn, so that a noisy moment hits both. */
async function ask(small: string, big: string, requests: number): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < requests; n++) {
    times[0].push(await timed(small));
    times[1].push(await timed(big));
  }
  return times;
}

async function timed(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { authorization: BEARER } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return performance.now() - started;
}
