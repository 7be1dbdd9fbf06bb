// `node bench/lists.ts [rows]`: list routes with 1,000 rows and with 1,000,000 (or `rows`). Target: p95 at most 1.5 times.
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { createPool } from '#db/pool.ts';
import { ACCOUNT, BEARER, serveApi } from './api-part.ts';
import { benchCluster } from './database.ts';
import { DEPLOY_ID, fillLists, JOB_ID } from './lists-data.ts';
import { type BenchPart, percentile, startPart } from './load.ts';

const file = fileURLToPath(import.meta.url);
const SMALL = 1_000;
const REQUESTS = 300;

const LISTS: Record<string, string> = {
  'agents.mine': '/v1/agents/mine?limit=100',
  'agents.mine, page 2': `/v1/agents/mine?limit=100&cursor=${cursor(['agent-5'])}`,
  'agents.list': '/v1/agents?limit=100',
  'agents.search': '/v1/agents/search?q=number%20777',
  'agents.search, misspelt': '/v1/agents/search?q=numbr%20777',
  'agents.search, a common word': '/v1/agents/search?q=demo',
  'agents.search, nothing asked': '/v1/agents/search',
  'agents.search, by tag': '/v1/agents/search?q=number&tag=tag-5',
  'agents.search, by skill': '/v1/agents/search?q=number&skill=greet',
  'agents.mineSummary': '/v1/agents/mine/summary',
  'agents.deployments': '/v1/agents/agent-1/deployments',
  'agents.deploymentLogs': `/v1/agents/agent-1/deployments/${DEPLOY_ID}/logs?tail=100`,
  'agents.reviewRuns': '/v1/agents/agent-1/review-runs',
  'agents.latestReview': '/v1/agents/agent-1/review-runs/latest',
  'agents.selfHealing': '/v1/agents/agent-1/self-healing',
  'agentAuth.status': '/v1/agents/agent-1/auth',
  'agentMailboxes.get': '/v1/agents/agent-1/mailbox',
  'agentMailboxes.events': '/v1/agents/agent-1/mailbox/events',
  'agentMailboxes.events, page 2': `/v1/agents/agent-1/mailbox/events?cursor=${cursor([(Date.now() - 100 * 3_600_000) * 1000, 'mev_100'])}`,
  'onboarding.get': '/v1/me/onboarding',
  'public.agents': '/v1/public/agents',
  'public.agents, by tag': '/v1/public/agents?tag=demo',
  'workLedger.activity': '/v1/me/activity',
  'workLedger.activity, one agent': '/v1/me/activity?agent=agent-1',
  'workLedger.events': `/v1/me/jobs/${JOB_ID}/events?limit=100`,
  'agentReceipts.list': '/v1/agents/agent-1/receipts',
  'agents.apiTokens': '/v1/agents/agent-1/api-tokens',
  'agents.integrationLinks': '/v1/agents/agent-1/integration-links',
  'agents.domains': '/v1/agents/agent-1/domains',
  'agentSecrets.list': '/v1/agents/agent-1/secrets',
  'agentMemory.list': '/v1/agents/agent-1/memory',
  'agentMemory.search': '/v1/agents/agent-1/memory/search?q=colour%20777',
  'installedAgents.list': '/v1/installed-agents',
  'featureFlags.list': '/v1/me/feature-flags',
  'admin.listFeatureFlags': '/v1/admin/feature-flags',
  'admin.listUsers': '/v1/admin/users?limit=100',
  'admin.listUsers, page 2': `/v1/admin/users?limit=100&cursor=${cursor(['usr_500'])}`,
  'admin.listUsers, by email': '/v1/admin/users?email=other-777',
  'admin.listUsers, by a common word': '/v1/admin/users?email=svc.local',
  'admin.listUsers, by id': '/v1/admin/users?id_prefix=usr_77',
  'admin.userFeatureFlags': '/v1/admin/users/usr_bench/feature-flags',
  'admin.listSettings': '/v1/admin/settings',
};

if (process.argv[2] === 'api') process.send?.(await serveApi(process.env.BENCH_DATABASE ?? ''));
else await compare(Number(process.argv[2] ?? 1_000_000));

async function compare(large: number): Promise<void> {
  const cluster = await benchCluster();
  const parts: BenchPart[] = [];
  try {
    for (const rows of [SMALL, large]) parts.push(await serveWith(await cluster.create(), rows));
    const [small, big] = parts.map((part) => part.url);
    let missed = 0;
    for (const [name, path] of Object.entries(LISTS)) {
      const times = await ask(`${small}${path}`, `${big}${path}`);
      const [before, after] = [percentile(times[0], 95), percentile(times[1], 95)];
      const ratio = after / before;
      if (!(ratio <= 1.5)) missed++;
      const medians = times.map((one) => percentile(one, 50).toFixed(1)).join(' → ');
      process.stdout.write(
        `${name.padEnd(34)} p95 ${before.toFixed(1)} → ${after.toFixed(1)} ms  ${ratio.toFixed(2)}x ${ratio <= 1.5 ? '      ' : 'missed'}  median ${medians} ms\n`,
      );
    }
    process.stdout.write(`${SMALL} → ${large} rows; target 1.5x: ${missed === 0 ? 'met' : `missed by ${missed} of ${Object.keys(LISTS).length}`}\n`);
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await cluster.stop();
  }
}

async function serveWith(connectionString: string, rows: number): Promise<BenchPart> {
  const db: Knex = createPool({ connectionString, max: 1 });
  await db('users').insert(ACCOUNT);
  await fillLists(db, rows);
  await db.destroy();
  return startPart(file, 'api', { BENCH_DATABASE: connectionString });
}

/** Milliseconds of both, asked in turn so that a noisy moment hits both; the first twenty are not counted; 20 s at most. */
async function ask(small: string, big: string): Promise<[number[], number[]]> {
  const times: [number, number][] = [];
  const until = performance.now() + 20_000;
  for (let n = 0; n < REQUESTS + 20 && performance.now() < until; n++) times.push([await timed(small), await timed(big)]);
  const counted = times.slice(Math.min(20, times.length - 1));
  return [counted.map(([one]) => one), counted.map(([, two]) => two)];
}

async function timed(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(url, { headers: { authorization: BEARER } });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return performance.now() - started;
}

function cursor(key: (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}
