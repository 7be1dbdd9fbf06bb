// What every server for databases must do. A driver's test calls this with a way to reach one; only the test
// uses the names.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import type { DatabaseAccess } from '#contract/states.ts';
import type { DatabaseServer } from './port.ts';

export interface Made {
  server: DatabaseServer;
  project: string;
  database: string;
  urls: Record<DatabaseAccess, string>;
  logins: Record<DatabaseAccess, string>;
}

const ACCESSES = ['read_only', 'read_write', 'owner'] as const;

/** A project with one database and a login for each access. */
export async function made(server: DatabaseServer, of?: { project: string; template: string }): Promise<Made> {
  const project = of?.project ?? `svcdb_${randomBytes(10).toString('hex')}`;
  const database = `${project}_d${randomBytes(4).toString('hex')}`;
  await server.prepareProject(project);
  await server.createDatabase({ project, database, template: of?.template, maxConnections: 10 });
  const urls = {} as Record<DatabaseAccess, string>;
  const logins = {} as Record<DatabaseAccess, string>;
  for (const access of ACCESSES) {
    const [name, password] = [`${project}_l${randomBytes(5).toString('hex')}`, randomBytes(18).toString('base64url')];
    await server.putLogin({ project, database, name, access, password, allowance: 'full' });
    logins[access] = name;
    urls[access] = `postgres://${name}:${password}@${server.endpoint.host}:${server.endpoint.port}/${database}`;
  }
  return { server, project, database, urls, logins };
}

export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Rows of one statement, over a connection of its own. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connected(url);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** SQLSTATE of the refusal. */
export async function refused(url: string, sql: string): Promise<string> {
  try {
    await ask(url, sql);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? '';
    throw error;
  }
  return 'allowed';
}

export function databasesConformance(open: () => DatabaseServer): void {
  it('gives each role what it says: the owner makes tables, read_write changes rows, read_only reads', async () => {
    const { urls } = await made(open());
    await ask(urls.owner, 'create schema app; create table app.notes (id serial primary key, text text); create table public.others (id int)');
    await ask(urls.read_write, `insert into app.notes (text) values ('one'), ('two')`);
    expect(await ask(urls.read_only, 'select count(*)::int as n from app.notes')).toEqual([{ n: 2 }]);
    expect(await refused(urls.read_only, 'delete from app.notes')).toBe('42501');
    expect(await refused(urls.read_only, 'create temporary table t (id int)')).toBe('42501');
    expect(await refused(urls.read_write, 'create table app.more (id int)')).toBe('42501');
    expect(await refused(urls.read_write, 'drop table public.others')).toBe('42501');
    await ask(urls.owner, 'alter table app.notes add column more text; drop table public.others');
  });

  it('does each step twice without harm', async () => {
    const one = await made(open());
    await ask(one.urls.owner, 'create table kept (id int)');
    await one.server.prepareProject(one.project);
    await one.server.createDatabase({ project: one.project, database: one.database, maxConnections: 10 });
    const login = { project: one.project, database: one.database, name: one.logins.owner, access: 'owner' as const };
    await one.server.putLogin({ ...login, password: 'another-password', allowance: 'full' });
    expect(await refused(one.urls.owner, 'select 1')).toBe('28P01');
    const url = one.urls.owner.replace(/:[^:@/]+@/, ':another-password@');
    expect(await ask(url, 'select count(*)::int as n from kept')).toEqual([{ n: 0 }]);
  });

  it('makes one database however many ask for it at once', async () => {
    const server = open();
    const { project } = await made(server);
    const database = `${project}_d${randomBytes(4).toString('hex')}`;
    await Promise.all(Array.from({ length: 4 }, () => server.createDatabase({ project, database, maxConnections: 5 })));
    expect((await server.measure([database])).get(database)).toMatchObject({ connections: 0 });
  });

  it('copies a database with what is in it, while others are connected to it; from then on each is on its own', async () => {
    const main = await made(open());
    await ask(main.urls.owner, 'create table notes (text text)');
    await ask(main.urls.read_write, `insert into notes values ('before')`);
    const visitor = await connected(main.urls.read_only);
    const copy = await made(main.server, { project: main.project, template: main.database });
    await expect(visitor.query('select 1')).rejects.toThrow();
    await ask(copy.urls.read_write, `insert into notes values ('in the copy')`);
    await ask(copy.urls.owner, 'create table more (id int)');
    expect(await ask(main.urls.read_only, 'select text from notes')).toEqual([{ text: 'before' }]);
    expect(await ask(copy.urls.read_only, 'select count(*)::int as n from notes')).toEqual([{ n: 2 }]);
    // The login of one branch opens no other.
    const elsewhere = main.urls.owner.replace(`/${main.database}`, `/${copy.database}`);
    expect(await refused(elsewhere, 'select 1')).toBe('42501');
    await main.server.dropDatabase(main.database);
    expect(await ask(copy.urls.read_only, 'select count(*)::int as n from notes')).toEqual([{ n: 2 }]);
  });

  it('opens what an interrupted copy left closed', async () => {
    const main = await made(open());
    await main.server.openDatabase(main.database);
    expect(await ask(main.urls.owner, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('drops a login: its connections end, what it made stays with the project', async () => {
    const { server, project, database, urls, logins } = await made(open());
    const other = `${project}_l${randomBytes(5).toString('hex')}`;
    await server.putLogin({ project, database, name: other, access: 'owner', password: 'a-password', allowance: 'full' });
    const theirs = urls.owner.replace(/\/\/[^@]+@/, `//${other}:a-password@`);
    await ask(theirs, 'create table one (id int); set role none; create schema mine; create table mine.two (id int)');
    const visitor = await connected(theirs);
    await server.dropLogin({ project, name: other, databases: [database] });
    await server.dropLogin({ project, name: other, databases: [database] });
    await expect(visitor.query('select 1')).rejects.toThrow();
    expect(await refused(theirs, 'select 1')).toMatch(/^28/);
    await ask(urls.owner, 'insert into one values (1); alter table mine.two add column more int');
    expect(await ask(urls.read_only, 'select count(*)::int as n from mine.two')).toEqual([{ n: 0 }]);
    expect(logins.owner).not.toBe(other);
  });

  it('measures what is there, and nothing of others', async () => {
    const { server, database, urls } = await made(open());
    const visitor = await connected(urls.owner);
    await visitor
      .query('create table big as select repeat($1, 1000) as text from generate_series(1, 3000)', ['x'])
      .catch(() => visitor.query(`create table big as select repeat('x', 1000) as text from generate_series(1, 3000)`));
    const measurement = (await server.measure([database, 'svcdb_0000000000_none'])).get(database);
    expect(measurement?.connections).toBe(1);
    expect(measurement?.size_bytes).toBeGreaterThan(3_000_000);
    await visitor.end();
  });

  it('holds a project to its size: rows go, none come, whatever a session set before; closed it takes no connection', async () => {
    const { server, project, database, urls, logins } = await made(open());
    await ask(urls.owner, `create table rows as select generate_series(1, 100) as id`);
    const all = ACCESSES.map((access) => ({ project, database, name: logins[access], access }));
    const inside = await connected(urls.owner);
    await server.allow({ databases: [database], logins: all, allowance: 'delete_only', maxConnections: 10 });
    await expect(inside.query('insert into rows values (1)')).rejects.toThrow();
    for (const url of [urls.owner, urls.read_write]) {
      expect(await refused(url, 'insert into rows values (1)')).toBe('42501');
      expect(await refused(url, 'set transaction_read_only = off; create table more (id int)')).toBe('42501');
      expect(await refused(url, 'set role none; create temporary table more (id int)')).toBe('42501');
      expect(await refused(url, `set role ${project}_owner`)).toBe('42501');
    }
    await ask(urls.read_write, 'delete from rows where id < 50');
    await server.allow({ databases: [database], logins: all, allowance: 'closed', maxConnections: 10 });
    expect(await refused(urls.owner, 'select 1')).toBe('53300');
    await server.allow({ databases: [database], logins: all, allowance: 'full', maxConnections: 10 });
    await ask(urls.owner, 'insert into rows values (1); create table more (id int)');
    expect(await ask(urls.read_only, 'select count(*)::int as n from rows')).toEqual([{ n: 52 }]);
  });

  it('drops everything, twice', async () => {
    const { server, project, database, urls, logins } = await made(open());
    const visitor = await connected(urls.owner);
    for (let time = 0; time < 2; time += 1) {
      await server.closeDatabase(database);
      await server.dropDatabase(database);
      for (const name of Object.values(logins)) await server.dropLogin({ project, name, databases: [] });
      await server.dropProject(project);
    }
    await expect(visitor.query('select 1')).rejects.toThrow();
    expect(await refused(urls.owner, 'select 1')).toMatch(/^28|^3D/);
    expect(await server.measure([database])).toEqual(new Map());
  });
}
