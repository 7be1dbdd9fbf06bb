// The commands, over the real API and a real server for databases.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishBranch, makeDatabase, makeLogins, prepareProject } from '#core/agents/database/provision.ts';
import { tendServer } from '#core/agents/database/tend.ts';
import { ask } from '#drivers/databases/conformance.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { makeTool, type Tool } from '../test/tool.ts';

let world: World;
let tool: Tool;
beforeAll(async () => {
  world = await createWorld();
  world.ctx.drivers.databases = postgresServer({ adminUrl: world.databaseUrl });
  await tendServer(world.ctx, 'local');
  tool = await makeTool(world.url, '/nowhere');
});
afterAll(async () => {
  await tool.remove();
  await world.close();
});

const svc = (...argv: string[]) => tool.run(['databases', ...argv], { env: { SVC_TOKEN: world.tokens.ada } });
async function provision(): Promise<void> {
  for (const branchId of await world.ctx.db('database_branches').where({ state: 'pending' }).pluck('branch_id'))
    for (const step of [prepareProject, makeDatabase, makeLogins, finishBranch]) await step(world.ctx, branchId);
}

test('from create to delete', async () => {
  const agent = world.records['name'] ?? '';
  expect(await svc('create', 'books')).toMatchObject({ code: 0, out: 'books  pending\n' });
  expect((await svc('status')).out).toContain('1 to set up');
  await provision();
  expect((await svc('list')).out).toMatch(/^books +ready +full/m);
  expect((await svc('branch', 'books', 'preview')).out).toMatch(/^preview +pending +main/m);
  await provision();
  expect(await svc('bind', 'books', agent, '--access', 'read_only', '--variable', 'BOOKS_URL', '--no-restart')).toMatchObject({
    code: 0,
    out: `${agent} has books in BOOKS_URL\n`,
  });
  expect((await svc('bind', 'books', agent, '--access', 'all')).err).toContain('--access must be one of read_only, read_write, owner');
  expect((await svc('describe', 'books')).out).toMatch(/BOOKS_URL +main +read_only +by hand +dbi_/);
  const { out: url } = await svc('url', 'books');
  expect(await ask(url.trim(), 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await svc('rotate', 'books', '--branch', 'preview')).code).toBe(0);
  expect((await svc('unbind', 'books', agent)).err).toContain(`BOOKS_URL was removed from ${agent}.`);
  expect((await svc('unbind', 'books', agent)).err).toContain('is not bound to books');
  expect((await svc('delete', 'books', '--branch', 'preview')).code).toBe(0);
  expect((await svc('delete', 'books')).code).toBe(0);
  expect((await svc('events', 'books')).out).toMatch(/project_deleting/);
  expect((await svc('describe', 'nowhere')).err).toContain('You have no database nowhere');
});
