// An agent in its machine over an unmodified client: the URL in its variable opens its database, and nothing
// else is behind that port.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { made, type Made } from '#drivers/databases/conformance.ts';
import { postgresServer } from '#drivers/databases/postgres.ts';
import { invoke, sourceOf, startInput, uniqueId } from '#drivers/runtime/test/agents.ts';
import { testDatabase } from '#test/support/servers.ts';
import { testHost, type TestHost } from '../test/support.ts';

const AGENT = `
import { Agent, skill, z } from '@svc/sdk';
import pg from './pg.mjs';

const ask = async (connectionString: string, sql: string) => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 20000 });
  try {
    await client.connect();
    return { rows: (await client.query(sql)).rows, code: '' };
  } catch (error) {
    return { rows: [], code: String(error.code ?? error.message) };
  } finally {
    await client.end().catch(() => undefined);
  }
};

export class Asker extends Agent {
  name = 'asker';
  description = 'Asks a database.';
  version = '0.1.0';
  ask = skill({ description: 'Asks.', input: z.object({ sql: z.string(), url: z.string().optional() }) }, async (ctx, { sql, url }) => ask(url ?? process.env.DATABASE_URL, sql));
  secret = skill({ description: 'Says whether it has it as a secret.' }, async (ctx) => ctx.secret('DATABASE_URL') === process.env.DATABASE_URL);
}
`;

let host: TestHost;
let mine: Made;
let theirs: Made;
let image: string;
const inGuest = (url: string): string => url.replace(/@[^/]+\//, '@127.0.0.1:5432/');

beforeAll(async () => {
  host = await testHost();
  const server = postgresServer({ adminUrl: (await testDatabase()).url });
  [mine, theirs] = [await made(server), await made(server)];
  const folder = await mkdtemp(join(tmpdir(), 'svc-asker-'));
  try {
    await build({
      entryPoints: ['pg'],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: join(folder, 'pg.mjs'),
      external: ['pg-native'],
      logLevel: 'silent',
      banner: { js: `import { createRequire } from 'node:module'; const require = createRequire('/');` },
    });
    await writeFile(join(folder, 'pg.d.mts'), 'declare const pg: any; export default pg;');
    await writeFile(join(folder, 'agent.ts'), AGENT);
    const built = await host.runtime.build(
      { build_id: uniqueId('b'), tenant: 'test', source: sourceOf(folder), language: 'typescript', entrypoint: 'agent:Asker' },
      () => undefined,
      new AbortController().signal,
    );
    image = built.image;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
afterAll(() => host.end());

test('an agent reaches what it is bound to, as whom it is bound, where it reaches nothing outside', async () => {
  const url = inGuest(mine.urls.owner);
  const input = startInput(image, {
    agent: 'asker',
    env: { DATABASE_URL: url },
    secrets: { DATABASE_URL: url },
    databases: [{ ...mine.server.endpoint, database: mine.database, user: mine.logins.owner }],
    egress: { allow_hosts: [], allow_internal_services: [], deny_external: true },
  });
  await host.runtime.start(input, () => undefined, new AbortController().signal);
  const ask = async (sql: string, at?: string): Promise<unknown> =>
    (await invoke(host.runtime, input.instance_id, 'ask', { sql, ...(at !== undefined && { url: at }) })).body;
  expect(await ask('create table notes as select 42 as n')).toMatchObject({ code: '' });
  expect(await ask('select n from notes')).toMatchObject({ rows: [{ n: 42 }] });
  expect((await invoke(host.runtime, input.instance_id, 'secret')).body).toBe(true);
  expect(await ask('select 1', inGuest(theirs.urls.owner))).toMatchObject({ code: '28000' });
  expect(await ask('select 1', inGuest(mine.urls.read_only))).toMatchObject({ code: '28000' });
  expect(await ask('select 1', mine.urls.owner)).not.toMatchObject({ code: '' });
  // It goes on after it has slept, over a new connection.
  await host.runtime.sleep(input.instance_id, 'suspended');
  expect(await ask('select n from notes')).toMatchObject({ rows: [{ n: 42 }] });
  const lines = await host.runtime.logs(input.instance_id);
  expect(JSON.stringify(lines)).not.toContain(new URL(mine.urls.owner).password);
});
