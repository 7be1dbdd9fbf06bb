// A database of one's own while everything is killed: made once, copied whole, its password changed once, and
// nothing of it left at the end.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from '#contract/client.ts';
import type { Chance } from './random.ts';
import { until } from './persistent.ts';
import type { Outcome } from './operations.ts';
import { eventually, rows, unless } from './ways-in.ts';
import type { World } from './world.ts';

export async function databased(world: World, outcome: Outcome, chance: Chance): Promise<void> {
  const name = `db-${outcome.token}`;
  const parts = createClient({ baseUrl: world.i.baseUrl, token: world.token }).databases;
  const { databases } = world.api;
  // As many at a time as the trial has.
  await rows(world, `insert into platform_settings (key, value, version) values ('databases_per_account', 1000, 1) on conflict (key) do nothing`, []);
  await until('create a database', () => unless(409, () => databases.create({ body: { name } })));
  const [project] = await rows<{ project_id: string; server_name: string }>(world, 'select project_id, server_name from database_projects where name = $1', [
    name,
  ]);
  if (!project) return void outcome.faults.push('a database that was created does not exist');
  const params = { project_id: project.project_id };
  const ready = (): Promise<unknown> =>
    eventually('a database to be ready', async () => {
      const found = await until('look at a database', () => databases.get({ params }));
      return found.branches.every(({ state }) => state === 'ready') ? true : undefined;
    });
  const url = async (branch: string): Promise<string> => (await until('show a URL', () => parts.reveal({ params, body: { branch, access: 'owner' } }))).url;
  await ready();
  await inside(await url('main'), 'create table if not exists notes as select generate_series(1, 1000) as n');
  await sleep(chance.between(0, 1_000));
  await until('copy a branch', () => unless(409, () => parts.createBranch({ params, body: { name: 'copy', from: 'main' } })));
  await ready();
  await until('rotate a password', () => unless(409, () => parts.rotate({ params, body: { branch: 'main', access: 'owner' } })));
  await eventually('the rotation to end', async () => {
    const open = await rows(
      world,
      `select 1 from database_logins l join database_roles r using (role_id) join database_branches b using (branch_id) where b.project_id = $1 and l.state <> 'current'`,
      [params.project_id],
    );
    return open.length === 0 ? true : undefined;
  });
  for (const branch of ['main', 'copy']) {
    const count = await inside(await url(branch), 'select count(*)::int as n from notes');
    if (count !== 1_000) outcome.faults.push(`branch ${branch} of ${name} has ${count} rows of 1000`);
  }
  await until('delete a database', () => unless(404, () => parts.remove({ params, query: { force: true } })));
  await eventually('a database to be dropped', async () =>
    (await rows(world, `select 1 from database_projects where project_id = $1 and state = 'deleted'`, [params.project_id])).length > 0 ? true : undefined,
  );
  const left = await rows<{ name: string }>(
    world,
    'select datname as name from pg_database where starts_with(datname, $1) union all select rolname from pg_roles where starts_with(rolname, $1)',
    [project.server_name],
  );
  if (left.length > 0) outcome.faults.push(`of ${name} there is left: ${left.map((one) => one.name).join(', ')}`);
  outcome.state = 'dropped';
}

/** Over a connection of its own, again while the server is away. Resolves with `n` of the first row. */
async function inside(url: string, sql: string): Promise<number | undefined> {
  return until('ask a database', async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<{ n?: number }>(sql)).rows[0]?.n;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}
