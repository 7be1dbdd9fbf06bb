import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { addAgent, addUser, testCtx } from '#test/support/verbs.ts';
import { aiCatalog } from './catalog.ts';
import { getPublicAgent } from './get.ts';
import { listPublicAgents } from './list.ts';

let db: Knex;
let ctx: Ctx;
let owner: string;
beforeAll(async () => void (db = createPool({ connectionString: (await testDatabase()).url })));
afterAll(() => db.destroy());
beforeEach(async () => {
  await db.raw('truncate users cascade');
  owner = await addUser(db);
  // No driver is given: a read that touched an agent would fail.
  ctx = testCtx(db, { actor: { kind: 'anonymous' } });
});

async function listed(name: string, callCount: number, tags: string[] = []): Promise<void> {
  const agent = await addAgent(db, owner, { visibility: 'public', live: true, tags });
  await db('agents').where({ agent_id: agent.id }).update({ name, call_count: callCount });
}

async function pages(limit: number, tag?: string): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listPublicAgents(ctx, { limit, cursor, tag });
    seen.push(...page.items.map((item) => item.name));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

describe('the public feed', () => {
  it('is the listed agents, most called first, and every one once', async () => {
    for (const [name, calls] of [
      ['d', 5],
      ['a', 0],
      ['b', 5],
      ['c', 9],
      ['f', 5],
      ['e', 0],
      ['g', 1],
    ] as const)
      await listed(name, calls, calls === 5 ? ['five'] : []);
    const expected = ['c', 'b', 'd', 'f', 'g', 'a', 'e'];
    for (const limit of [1, 2, 3, 7, 8]) expect(await pages(limit)).toEqual(expected);
    expect(await pages(2, 'five')).toEqual(['b', 'd', 'f']);
    expect(await pages(2, 'none')).toEqual([]);
  });

  it('ends with agents that do not answer, in pages of any size', async () => {
    for (const [name, calls] of [
      ['silent', 9],
      ['silent-too', 9],
      ['a', 3],
      ['b', 3],
      ['c', 0],
    ] as const)
      await listed(name, calls, ['one']);
    await db('agents').whereIn('name', ['silent', 'silent-too']).update({ unanswered: true });
    for (const limit of [1, 2, 3, 5, 6]) expect(await pages(limit)).toEqual(['a', 'b', 'c', 'silent', 'silent-too']);
    expect(await pages(1, 'one')).toEqual(['a', 'b', 'c', 'silent', 'silent-too']);
  });

  it('shows neither unlisted, nor unserved, nor deleted agents', async () => {
    await listed('seen', 1);
    await addAgent(db, owner, { visibility: 'unlisted', live: true });
    const registered = await addAgent(db, owner, { visibility: 'public' });
    await listed('gone', 3);
    await db('agents').where({ name: 'gone' }).update({ deleted_at: new Date() });
    expect(await pages(10)).toEqual(['seen']);
    for (const name of ['gone', registered.name, 'never']) await expect(getPublicAgent(ctx, { name })).rejects.toMatchObject({ code: 'agent_not_found' });
  });

  it('tells the address, and nothing of the owner', async () => {
    await listed('text-kit', 1);
    const agent = await getPublicAgent(ctx, { name: 'text-kit' });
    expect(agent).toMatchObject({ name: 'text-kit', url: 'http://text-kit.localhost:8080', call_count: 1, card: null });
    expect(JSON.stringify(agent)).not.toContain(owner);
  });

  it('costs the same at the end as at the start: a page reads no more than its rows', async () => {
    await db.raw(
      `with many as (select 'agt_' || n as id, n from generate_series(1, 20000) n),
            j as (insert into jobs (job_id, kind, state, title, owner_id, ended_at) select 'job_' || n, 'deploy', 'succeeded', 't', :owner, now() from many),
            a as (insert into agents (agent_id, name, owner_id, kind, visibility, call_count) select id, 'bulk-' || n, :owner, 'hosted', 'public', case when n % 3 = 0 then 0 else n % 50 end from many)
       select 1`,
      { owner },
    );
    await db.raw(
      `insert into deployments (deploy_id, agent_id, number, state, job_id, created_by, entrypoint, manifest, source_key, source_sha256, source_bytes)
       select 'dep_' || n, 'agt_' || n, 1, 'live', 'job_' || n, :owner, 'a:A', '{}', 'k', 's', 1 from generate_series(1, 20000) n`,
      { owner },
    );
    await db.raw(`update agents set live_deploy_id = 'dep_' || substr(agent_id, 5)`);
    await db.raw('vacuum analyze agents');
    const queries: string[] = [];
    const note = (query: { sql: string; bindings: unknown[] }): void =>
      void queries.push(db.raw(query.sql.replace(/\$\d+/g, '?'), query.bindings as Knex.RawBinding[]).toString());
    db.on('query', note);
    const { next_cursor } = await listPublicAgents(ctx, { limit: 24 });
    await listPublicAgents(ctx, { limit: 24, cursor: next_cursor ?? '' });
    await listPublicAgents(ctx, { limit: 24, cursor: Buffer.from('[0,0,"bulk-3"]').toString('base64url') });
    db.off('query', note);
    expect(queries).toHaveLength(3);
    for (const sql of queries) {
      const { rows } = await db.raw<{ rows: { 'QUERY PLAN': string }[] }>(`explain (analyze, costs off, timing off, buffers) ${sql}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toContain('Seq Scan');
      // 25 rows, 20 000 agents: a plan that walked what came before, or sorted them, would read hundreds of
      // pages.
      const pagesRead = [...(/Buffers: (.*)/.exec(plan)?.[1] ?? '').matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
      expect(pagesRead, plan).toBeGreaterThan(0);
      expect(pagesRead, plan).toBeLessThan(120);
    }
  });
});

describe('the AI Catalog', () => {
  it('lists every public agent once by each protocol, and no other agent', async () => {
    for (let n = 0; n < 3; n += 1) await listed(`agent-${n}`, n, ['t']);
    await addAgent(db, owner, { visibility: 'unlisted', live: true });
    const { specVersion, entries } = await aiCatalog(ctx);
    expect(specVersion).toBe('1.0');
    expect(new Set(entries.map(({ identifier }) => identifier)).size).toBe(6);
    expect(entries.filter(({ type }) => type === 'application/a2a-agent-card+json').map(({ url }) => url)).toEqual(
      [2, 1, 0].map((n) => expect.stringMatching(new RegExp(`//agent-${n}\\..*/\\.well-known/agent-card\\.json$`)) as unknown),
    );
    const servers = entries.filter(({ type }) => type === 'application/mcp-server+json');
    expect(servers.map(({ data, url }) => [url, JSON.stringify(data).includes('/mcp"')])).toEqual(Array(3).fill([undefined, true]));
    expect(entries.every(({ identifier }) => identifier.startsWith('urn:air:'))).toBe(true);
  });
});
