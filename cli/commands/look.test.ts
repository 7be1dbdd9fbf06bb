// Commands that only look: the agents one can see, how an MCP client connects to one, where a project's pages
// are served. Against the whole API.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, type World } from '#test/api/world.ts';
import { cites } from '#test/spec/verifies.ts';
import { addAgent } from '#test/support/verbs.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let world: World;
let tool: Tool;
beforeAll(async () => {
  world = await createWorld();
  tool = await makeTool(world.url, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await world.close();
});

const svc = (as: 'ada' | 'ben', ...argv: string[]) => tool.run(argv, { env: { SVC_TOKEN: world.tokens[as] } });

test('agents lists what the caller can see: the own ones and the public ones', cites('cli.agents'), async () => {
  const own = world.records['name'] ?? '';
  const { user_id } = await world.as('ben').auth.me();
  const shown = await addAgent(world.ctx.db, user_id, { visibility: 'public', live: true });
  const hidden = await addAgent(world.ctx.db, user_id, { live: true });
  const names = async (as: 'ada' | 'ben'): Promise<string[]> => JSON.parse((await svc(as, 'agents', '--json')).out).map(({ name }: { name: string }) => name);
  expect(await names('ada')).toEqual(expect.arrayContaining([own, shown.name]));
  expect(await names('ada')).not.toContain(hidden.name);
  expect(await names('ben')).toEqual(expect.arrayContaining([hidden.name, shown.name]));
  expect(await names('ben')).not.toContain(own);
  const { code, out } = await svc('ada', 'agents');
  expect(code).toBe(EXIT.ok);
  expect(out.split('\n').find((line) => line.startsWith(own))).toMatch(/unlisted +yes/);
});

test('mcp-url prints what goes into the settings of an MCP client', cites('cli.mcp_url'), async () => {
  const name = world.records['name'] ?? '';
  const { url } = await world.as('ada').agents.get({ params: { name } });
  const { code, out, err } = await svc('ada', 'mcp-url', name);
  expect([code, JSON.parse(out)]).toEqual([EXIT.ok, { mcpServers: { [name]: { type: 'http', url: `${url}/mcp` } } }]);
  expect(err).toContain('Authorization');
  expect(await svc('ben', 'mcp-url', name)).toMatchObject({ code: EXIT.failure, out: '' });
});

test('frontend info prints where the pages are served, and whether they are built', cites('cli.frontend_info'), async () => {
  const folder = join(tool.home, 'paged');
  await mkdir(join(folder, 'page'), { recursive: true });
  await writeFile(join(folder, 'svc.yaml'), 'name: paged\nversion: 0.1.0\nentrypoint: agent:Paged\nfrontend: { path: page, dist: . }\n');
  const info = async () => JSON.parse((await svc('ada', 'frontend', 'info', '-p', folder)).out);
  expect(await info()).toMatchObject({ mount: '/app', auth: 'inherit', dist: join(folder, 'page'), built: false });
  await writeFile(join(folder, 'page/index.html'), '<p>hi');
  expect(await info()).toMatchObject({ built: true });
});
