// `node bench/mine.ts`: GET /v1/agents/mine with 1,000 agents against bare Koa + pg running the same query.
// Target: 85 % of its requests/s.
import { fileURLToPath } from 'node:url';
import Koa from 'koa';
import pg from 'pg';
import { createPool } from '#db/pool.ts';
import { createApiServer } from '#api/server.ts';
import { ACCOUNT, BEARER, POOL, serveApi } from './api-part.ts';
import { benchCluster } from './database.ts';
import { compareInterleaved, load, startPart } from './load.ts';
import { requirePrograms } from './programs.ts';
import { QUICK, rounds } from './ratio.ts';

const file = fileURLToPath(import.meta.url);
const AGENTS = 1_000;
const connectionString = process.env.BENCH_DATABASE ?? '';

/** What selectAgents sends for `mine`. */
const QUERY = `select a.*, l.deploy_id as last_deploy_id, l.state as last_state, l.error as last_error, l.created_at as last_created_at
  from agents a left join lateral (
    select deploy_id, state, error, created_at from deployments d where d.agent_id = a.agent_id order by number desc limit 1
  ) l on true
  where a.deleted_at is null and a.owner_id = $1 and a.name > $2 order by a.name limit $3`;

switch (process.argv[2]) {
  case 'api':
    process.send?.(await serveApi(connectionString));
    break;
  case 'bare':
    process.send?.(await serveBare());
    break;
  default:
    await compare();
}

async function serveBare(): Promise<string> {
  const pool = new pg.Pool({ connectionString, max: POOL });
  const app = new Koa();
  app.use(async (ctx) => {
    const { rows } = await pool.query(QUERY, [ACCOUNT.user_id, '', AGENTS + 1]);
    ctx.body = rows;
  });
  return createApiServer({ api: app.callback(), stopping: new AbortController() }).listen(0, '127.0.0.1');
}

async function compare(): Promise<void> {
  await requirePrograms('wrk');
  const cluster = await benchCluster();
  const url = await cluster.create();
  const db = createPool({ connectionString: url });
  await db('users').insert(ACCOUNT);
  await db.raw(
    `insert into agents (agent_id, name, owner_id, kind, description, tags, skills)
     select 'agt_' || n, 'agent-' || n, ?, 'hosted', 'Agent number ' || n, '{text,demo}', '{greet,count}' from generate_series(1, ?) n`,
    [ACCOUNT.user_id, AGENTS],
  );
  await db.raw('analyze agents');
  await db.destroy();
  const env = { BENCH_DATABASE: url };
  const parts = { bare: await startPart(file, 'bare', env), ours: await startPart(file, 'api', env) };
  try {
    const options = { connections: 8, seconds: QUICK ? 2 : 4, headers: { Authorization: BEARER } };
    const once = (name: string): Promise<number> => load(`${name === 'bare' ? parts.bare.url : parts.ours.url}/v1/agents/mine`, options);
    for (const name of Object.keys(parts)) await once(name);
    await compareInterleaved('GET /v1/agents/mine', 'bare', { rounds: rounds(7), target: 85 }, once);
  } finally {
    await Promise.all(Object.values(parts).map((part) => part.stop()));
    await cluster.stop();
  }
}
