import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '#test/support/servers.ts';
import { ask, connected, databasesConformance, made, refused } from './conformance.ts';
import type { DatabaseServer } from './port.ts';
import { postgresServer } from './postgres.ts';

let superuser: string;
let server: DatabaseServer;
let lesser: DatabaseServer;
beforeAll(async () => {
  superuser = (await testDatabase()).url;
  server = postgresServer({ adminUrl: superuser });
  await server.tend();
  // As a hosted PostgreSQL gives: who makes databases and roles there is no superuser.
  const name = `provisioner_${randomBytes(4).toString('hex')}`;
  await ask(superuser, `create role ${name} login createdb createrole password 'a-password'`);
  await ask(superuser, `grant connect on database ${new URL(superuser).pathname.slice(1)} to ${name}`);
  const url = new URL(superuser);
  [url.username, url.password] = [name, 'a-password'];
  lesser = postgresServer({ adminUrl: url.href });
});

describe('as a superuser', () => databasesConformance(() => server));
describe('as a user who makes databases and roles', () => databasesConformance(() => lesser));

describe('who owns one role of one database', () => {
  it('opens no other database: not the control plane’s, not another account’s, not the templates', async () => {
    const [mine, theirs] = [await made(server), await made(server)];
    for (const database of [new URL(superuser).pathname.slice(1), 'postgres', 'template1', theirs.database]) {
      expect([database, await refused(mine.urls.owner.replace(`/${mine.database}`, `/${database}`), 'select 1')]).toEqual([database, '42501']);
    }
  });

  it('gets no further right on the server', async () => {
    const { urls, project, database, logins } = await made(server);
    const other = await made(server);
    const attempts = {
      'become the provisioner': `set session authorization ${new URL(superuser).username}`,
      'become another account': `set role ${other.project}_owner`,
      'make a superuser': 'create role evil superuser',
      'make a role': 'create role evil',
      'raise itself': `alter role ${logins.owner} superuser createdb createrole bypassrls replication`,
      'raise its limit of connections': `alter role ${logins.owner} connection limit 1000`,
      'raise its limit of temporary files': `alter role ${logins.owner} set temp_file_limit = -1`,
      'raise it in a session': 'set temp_file_limit = -1',
      'change another login': `alter role ${logins.read_only} password 'mine'`,
      'change another account’s login': `alter role ${other.logins.owner} password 'mine'`,
      'make a database': 'create database evil',
      'change its database': `alter database ${database} connection limit 1000`,
      'drop another database': `drop database ${other.database}`,
      'join a group': `grant ${other.project}_owner to ${logins.owner}`,
      'run a program': `copy (select 1) to program 'true'`,
      'read by a program': `create table t (l text); copy t from program 'id'`,
      'write a file': `copy (select 1) to '/tmp/svc-evil'`,
      'read a file': `create table f (l text); copy f from '/etc/passwd'`,
      'read a file by a function': `select pg_read_file('/etc/passwd')`,
      'list files': `select pg_ls_dir('.')`,
      'import a large object': `select lo_import('/etc/passwd')`,
      'export a large object': `select lo_export(lo_create(0), '/tmp/svc-evil')`,
      'reach other servers': 'create extension dblink',
      'mount other servers': 'create extension postgres_fdw',
      'mount files': 'create extension file_fdw',
      'write in C': `create function evil() returns int language c as 'libc.so.6', 'system'`,
      'load a library': `load 'evil'`,
      'read passwords': 'select rolpassword from pg_authid',
      'read them in another view': 'select passwd from pg_shadow',
      'read settings of the server': 'select * from pg_file_settings',
      'read its access rules': 'select * from pg_hba_file_rules',
      'change its settings': `alter system set log_statement = 'all'`,
      'read them anew': 'select pg_reload_conf()',
      'end others': `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${new URL(superuser).username}' limit 1`,
      'subscribe to another server': `create subscription evil connection 'host=127.0.0.1' publication p`,
      'keep the log of changes': `select pg_create_logical_replication_slot('evil', 'pgoutput')`,
      'listen to every session':
        'create function e() returns event_trigger language plpgsql as $$ begin end $$; create event trigger evil on ddl_command_start execute function e()',
      'a table space': `create tablespace evil location '/tmp'`,
    };
    const got: Record<string, string> = {};
    for (const [what, sql] of Object.entries(attempts)) got[what] = await refused(urls.owner, sql);
    const allowed = Object.entries(got).filter(([, code]) => !/^(?:42501|0A000|58P01|55000|42704|22023|42P17|42939)$/.test(code));
    expect(allowed).toEqual([]);
    expect(
      await ask(
        urls.owner,
        'select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as more from pg_roles where rolname = session_user',
      ),
    ).toEqual([{ more: false }]);
    expect(project).not.toBe(other.project);
  });

  it('sees of others names that say nothing, and none of their statements', async () => {
    const [mine, theirs] = [await made(server), await made(server)];
    const visitor = await connected(theirs.urls.owner);
    await visitor.query(`select 'what only they may know'`);
    expect(await ask(mine.urls.owner, `select query from pg_stat_activity where query like '%only they may%' and pid <> pg_backend_pid()`)).toEqual([]);
    const seen = await ask(mine.urls.owner, `select rolname as name from pg_roles where rolname like 'svcdb%'`);
    expect(seen.filter(({ name }) => !/^svcdb_[0-9a-f]{20}_(?:owner|rw|ro|del|l[0-9a-f]+)$/.test(String(name)))).toEqual([]);
    await visitor.end();
  });

  it('takes no more connections than it may, and cannot keep statements running, whatever it sets for itself', async () => {
    const strict = postgresServer({ adminUrl: superuser, longest: { statement: 0.3, transaction: 0.3 } });
    const { urls } = await made(strict);
    await ask(urls.read_write, 'set statement_timeout = 0; select 1');
    const open = await Promise.all(Array.from({ length: 10 }, () => connected(urls.owner)));
    await expect(connected(urls.owner)).rejects.toThrow(/too many connections/);
    const sleeping = open.map((one) =>
      one.query('set statement_timeout = 0; select pg_sleep(600)').then(
        () => 'slept',
        () => 'ended',
      ),
    );
    let all: string[] = [];
    void Promise.all(sleeping).then((ended) => (all = ended));
    await expect
      .poll(
        async () => {
          await strict.endLong();
          return all;
        },
        { timeout: 20_000 },
      )
      .toEqual(open.map(() => 'ended'));
    await Promise.all(open.map((one) => one.end()));
  });

  it('cannot fill the disk with temporary files', async () => {
    const { urls } = await made(server);
    const code = await refused(
      urls.owner,
      `set work_mem = '64kB'; select count(*) from (select generate_series(1, 9000000) as n, repeat('x', 200) as t order by t, n desc) s`,
    );
    expect(code).toBe('53400');
  });

  it('does not make the provisioner run its functions', async () => {
    const { server: of, project, database, urls, logins } = await made(server);
    const marks = `create table public.marks (who text);
      create function public.note() returns text language plpgsql as $$ begin insert into public.marks values (current_user || session_user); return 'x'; end $$;`;
    const shadow = `create function public.quote_ident(text) returns text language sql as $$ select public.note() $$;
      create function public.quote_ident(name) returns text language sql as $$ select public.note() $$;
      create schema "x; drop schema public cascade"; create table "x; drop schema public cascade".t (id int);`;
    await ask(urls.owner, marks + shadow);
    const other = `${project}_l${randomBytes(5).toString('hex')}`;
    await of.putLogin({ project, database, name: other, access: 'owner', password: 'p', allowance: 'full' });
    await of.dropLogin({ project, name: other, databases: [database] });
    await of.createDatabase({ project, database, maxConnections: 10 });
    expect(await ask(urls.owner, 'select who from public.marks')).toEqual([]);
    expect(logins.owner).not.toBe(other);
  });
});

it('refuses names that are not ours, before anything is asked', async () => {
  await expect(server.dropDatabase('svc')).rejects.toThrow(/not ours/);
  await expect(server.dropDatabase('svcdb_00000000"; drop database svc; --')).rejects.toThrow(/not ours/);
});

it('lets who could connect before go on, by name', async () => {
  const name = `reporting_${randomBytes(4).toString('hex')}`;
  const database = `shared_${randomBytes(4).toString('hex')}`;
  await ask(superuser, `create role ${name} login password 'p'`);
  await ask(superuser, `create database ${database}`);
  await server.tend();
  const url = new URL(superuser);
  [url.username, url.password, url.pathname] = [name, 'p', `/${database}`];
  expect(await ask(url.href, 'select 1 as one')).toEqual([{ one: 1 }]);
  const { urls, database: mine } = await made(server);
  expect(await refused(urls.owner.replace(`/${mine}`, `/${database}`), 'select 1')).toBe('42501');
});
