import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createPool } from '#db/pool.ts';
import { testDatabase } from '#test/support/servers.ts';
import { addAgent, addUser, testCtx } from '#test/support/verbs.ts';
import { mcpRegistry } from './mcp-registry.ts';

let db: Knex;
let server: Server;
let url: string;

beforeAll(async () => {
  db = createPool({ connectionString: (await testDatabase()).url });
  const ctx = { ...testCtx(db, { actor: { kind: 'anonymous' } }), config: { baseUrl: 'https://svc.example', agentsDomain: 'agents.example:8443' } };
  const front = mcpRegistry(ctx);
  server = createServer((request, response) => void (front(request, response) || response.writeHead(404).end('not mine'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on a port
  const owner = await addUser(db);
  for (const [name, version] of [
    ['ant', '1.0.0'],
    ['bee', '2.0.0'],
    ['beetle', '1.0.0'],
  ] as const) {
    const { id } = await addAgent(db, owner, { visibility: 'public', live: true });
    await db('agents')
      .where({ agent_id: id })
      .update({ name, version, description: name === 'bee' ? 'b'.repeat(150) : 'An insect' });
  }
  const { id } = await addAgent(db, owner, { visibility: 'unlisted', live: true });
  await db('agents').where({ agent_id: id }).update({ name: 'moth', version: '1.0.0' });
});
afterAll(async () => {
  server.close();
  await db.destroy();
});

/** As the registry's OpenAPI document has it. */
const Item = z.object({
  server: z.object({
    $schema: z.url(),
    name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    description: z.string().min(1).max(100),
    version: z.string(),
    remotes: z.array(z.object({ type: z.literal('streamable-http'), url: z.url() })).length(1),
  }),
  _meta: z.object({
    'io.modelcontextprotocol.registry/official': z.object({
      status: z.literal('active'),
      publishedAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      statusChangedAt: z.iso.datetime(),
      isLatest: z.literal(true),
    }),
  }),
});
const List = z.object({ servers: z.array(Item), metadata: z.object({ count: z.int(), nextCursor: z.string().optional() }) });

async function list(query: Record<string, string> = {}): Promise<z.infer<typeof List>> {
  const response = await fetch(`${url}/v0.1/servers?${new URLSearchParams(query)}`);
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  return List.parse(await response.json());
}
const names = ({ servers }: z.infer<typeof List>): string[] => servers.map((one) => one.server.name.slice(one.server.name.indexOf('/') + 1));

it('lists public agents page by page, each with the address of its tools', async () => {
  const all = await list();
  expect(names(all)).toEqual(['ant', 'bee', 'beetle']);
  expect(all.servers[0]?.server).toMatchObject({
    name: 'example.agents/ant',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url: 'https://ant.agents.example:8443/mcp' }],
  });
  const first = await list({ limit: '2' });
  expect(names(first)).toEqual(['ant', 'bee']);
  expect(names(await list({ limit: '2', cursor: first.metadata.nextCursor ?? '' }))).toEqual(['beetle']);
});

it('finds by a part of the name, by version and by time; % and _ are letters', async () => {
  expect(names(await list({ search: 'BEE' }))).toEqual(['bee', 'beetle']);
  expect(names(await list({ search: 'agents/a' }))).toEqual(['ant']);
  expect(names(await list({ search: 'b%e' }))).toEqual([]);
  expect(names(await list({ version: '2.0.0' }))).toEqual(['bee']);
  expect(names(await list({ version: 'latest' }))).toHaveLength(3);
  expect(names(await list({ updated_since: '2999-01-01T00:00:00Z' }))).toEqual([]);
});

it('a server and its versions are found by the encoded name; what is not listed does not exist', async () => {
  const at = (path: string): Promise<Response> => fetch(`${url}/v0.1/servers/${path}`);
  const bee = encodeURIComponent('example.agents/bee');
  expect(Item.parse(await (await at(`${bee}/versions/latest`)).json()).server.version).toBe('2.0.0');
  expect(Item.parse(await (await at(`${bee}/versions/2.0.0`)).json()).server.name).toBe('example.agents/bee');
  expect(names(List.parse(await (await at(`${bee}/versions`)).json()))).toEqual(['bee']);
  for (const path of [
    `${bee}/versions/1.0.0`,
    'example.agents%2Fmoth/versions/latest',
    'com.other%2Fbee/versions',
    '%E0%A4%A/versions',
    `bee%00/versions`,
    bee,
  ])
    expect([path, (await at(path)).status, await (await at(path)).json()]).toEqual([path, 404, { error: 'Server not found' }]);
});

it('says what is wrong with a question, and takes only reads', async () => {
  for (const query of ['limit=0', 'limit=1000', 'cursor=junk', 'updated_since=yesterday', 'search='])
    expect((await fetch(`${url}/v0.1/servers?${query}`)).status, query).toBe(400);
  for (const [method, path] of [
    ['POST', '/v0.1/servers'],
    ['GET', '/v0.1/serversx'],
    ['GET', '/v0.1/publish'],
  ] as const)
    expect(await (await fetch(url + path, { method })).text()).toBe('not mine');
  expect((await fetch(`${url}/v0.1/servers`, { method: 'HEAD' })).headers.get('content-type')).toMatch(/json/);
});
