// PostgreSQL, any of version 15 and later: this installation's own, or one of the operator's. Its roles are
// the walls between accounts.
import { asAdmin, type Admin, persistently, stateOf } from './admin.ts';
import { actingAs, handOver, makeLogin } from './logins.ts';
import { foreignName, groupsOf, name, PREFIX } from './names.ts';
import type { DatabaseServer, Measured } from './port.ts';

export interface PostgresOptions {
  /**
   * As whom databases and roles are made: `postgres://user:password@host:port/database`, with
   * `sslmode=require` where it takes only TLS.
   */
  adminUrl: string;
  /** Seconds that a statement, and a transaction, of an account may take. */
  longest?: { statement: number; transaction: number };
}

const LONGEST = { statement: 300, transaction: 600 };
const OURS = `${PREFIX}%`.replaceAll('_', String.raw`\_`);

export function postgresServer({ adminUrl, longest = LONGEST }: PostgresOptions): DatabaseServer {
  const at = new URL(adminUrl);
  const admin = <T>(work: (admin: Admin) => Promise<T>, database?: string): Promise<T> => persistently(() => asAdmin(adminUrl, database, work));
  const endSessions = (of: Admin, column: 'datname' | 'usename', value: string): Promise<unknown> =>
    of.run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${column} = $1 and pid <> pg_backend_pid()`, [value]);

  async function exists(of: Admin, database: string): Promise<boolean> {
    // -2: dropping it was interrupted, and it accepts no connections any more.
    const [row] = await of.run('select datconnlimit = -2 as broken from pg_database where datname = $1', [database]);
    if (row?.['broken'] === true) await of.run(`drop database ${name(database)} with (force)`);
    return row !== undefined && row['broken'] !== true;
  }

  async function copy(of: Admin, database: string, template: string): Promise<void> {
    const source = name(template);
    await of.run(`alter database ${source} allow_connections false`);
    try {
      await endSessions(of, 'datname', template);
      await of.run(`create database ${name(database)} template ${source} allow_connections false`);
    } finally {
      await of.run(`alter database ${source} allow_connections true`);
    }
  }

  async function lay(of: Admin, project: string): Promise<void> {
    const { owner, readWrite, readOnly, deleteOnly } = groupsOf(project);
    const made = `alter default privileges for role ${owner} grant`;
    await of.together([
      `alter schema public owner to ${owner}`,
      'revoke all on schema public from public',
      `grant usage on schema public to ${readWrite}, ${readOnly}, ${deleteOnly}`,
      `${made} usage on schemas to ${readWrite}, ${readOnly}, ${deleteOnly}`,
      `${made} select on tables to ${readOnly}`,
      `${made} select, insert, update, delete on tables to ${readWrite}`,
      `${made} select, delete, truncate on tables to ${deleteOnly}`,
      `${made} usage, select, update on sequences to ${readWrite}`,
      `${made} select on sequences to ${readOnly}`,
    ]);
  }

  return {
    endpoint: { host: at.hostname, port: Number(at.port || 5432), tls: ['require', 'verify-ca', 'verify-full'].includes(at.searchParams.get('sslmode') ?? '') },

    tend: () =>
      admin(async (of) => {
        await closeToPublic(of);
        const [row] = await of.run(`select current_setting('server_version') as version`);
        return String(row?.['version']);
      }),

    prepareProject: (project) =>
      admin(async (of) => {
        for (const group of Object.values(groupsOf(project))) {
          await of.run(`create role ${group} nologin`).catch((error: unknown) => {
            if (!['42710', '23505'].includes(stateOf(error) ?? '')) throw error;
          });
          // Who is no superuser must be a member to make something belong to it.
          if (!of.superuser) await of.run(`grant ${group} to ${foreignName(of.user)}`);
        }
      }),

    createDatabase: async ({ project, database, template, maxConnections }) => {
      await admin(async (of) => {
        await closeToPublic(of);
        if (!(await exists(of, database))) {
          const making =
            template === undefined ? of.run(`create database ${name(database)} template template0 allow_connections false`) : copy(of, database, template);
          await making.catch((error: unknown) => {
            if (!['42P04', '23505'].includes(stateOf(error) ?? '')) throw error;
          });
        }
        // A copy that was interrupted left it closed.
        if (template !== undefined) await of.run(`alter database ${name(template)} allow_connections true`);
        const { owner, readWrite, deleteOnly } = groupsOf(project);
        await of.run(`revoke all on database ${name(database)} from public`);
        await of.run(`grant create, temporary on database ${name(database)} to ${owner}`);
        await of.run(`grant temporary on database ${name(database)} to ${readWrite}`);
        await of.run(`revoke all on database ${name(database)} from ${deleteOnly}`);
        await of.run(`alter database ${name(database)} connection limit ${maxConnections} allow_connections true`);
      });
      if (template === undefined) await admin((of) => lay(of, project), database);
    },

    putLogin: (login) => admin((of) => makeLogin(of, login, CONNECTIONS_OF_A_LOGIN)),

    dropLogin: async ({ project, name: login, databases }) => {
      const there = await admin(async (of) => {
        const [row] = await of.run('select 1 from pg_roles where rolname = $1', [login]);
        if (row === undefined) return false;
        await of.run(`alter role ${name(login)} nologin`);
        await endSessions(of, 'usename', login);
        return true;
      });
      if (!there) return;
      for (const database of databases) {
        if (await admin((of) => exists(of, database))) await admin((of) => handOver(of, project, login), database);
      }
      await admin((of) => of.run(`drop role if exists ${name(login)}`));
    },

    openDatabase: (database) =>
      admin(async (of) => {
        if (await exists(of, database)) await of.run(`alter database ${name(database)} allow_connections true`);
      }),

    closeDatabase: (database) =>
      admin(async (of) => {
        if (!(await exists(of, database))) return;
        await of.run(`alter database ${name(database)} connection limit 0`);
        await endSessions(of, 'datname', database);
      }),

    dropDatabase: (database) => admin(async (of) => void (await of.run(`drop database if exists ${name(database)} with (force)`))),

    dropProject: (project) =>
      admin(async (of) => {
        for (const group of Object.values(groupsOf(project))) await of.run(`drop role if exists ${group}`);
      }),

    measure: (databases) =>
      admin(async (of) => {
        const rows = await of.run(
          `select d.datname as name, pg_database_size(d.oid)::float8 as size, (select count(*)::int from pg_stat_activity a where a.datid = d.oid and a.usename like $2) as open
           from pg_database d where d.datname = any($1) and d.datconnlimit <> -2`,
          [databases, OURS],
        );
        return new Map(rows.map((row): [string, Measured] => [String(row['name']), { size_bytes: Number(row['size']), connections: Number(row['open']) }]));
      }),

    allow: ({ databases, logins, allowance, maxConnections }) =>
      admin(async (of) => {
        await of.together(logins.flatMap((login) => actingAs(login, allowance)));
        for (const database of databases) {
          if (!(await exists(of, database))) continue;
          await of.run(`alter database ${name(database)} connection limit ${allowance === 'closed' ? 0 : maxConnections}`);
          // A session keeps the role that it took.
          await endSessions(of, 'datname', database);
        }
      }),

    endLong: () =>
      admin(async (of) => {
        const rows = await of.run(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where usename like $1 and pid <> pg_backend_pid()
             and ((state = 'active' and query_start < now() - make_interval(secs => $2)) or xact_start < now() - make_interval(secs => $3))`,
          [OURS, longest.statement, longest.transaction],
        );
        return rows.length;
      }),
  };
}

/** Of one login, so that one agent's does not take all of a branch. */
const CONNECTIONS_OF_A_LOGIN = 10;

/**
 * PostgreSQL lets all roles connect to a new database. Roles that could connect before get the right by name.
 */
async function closeToPublic(of: Admin): Promise<void> {
  const open = await of.run(
    `select d.datname as name from pg_database d
     where exists (select 1 from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a where a.grantee = 0)
       and d.datconnlimit <> -2 and (pg_has_role(d.datdba, 'MEMBER') or $1)`,
    [of.superuser],
  );
  if (open.length === 0) return;
  const others = await of.run(`select rolname as name from pg_roles where rolcanlogin and not rolsuper and rolname not like $1`, [OURS]);
  const to = others.map((row) => foreignName(String(row['name']))).join(', ');
  for (const row of open) {
    const database = foreignName(String(row['name']));
    const keep = to === '' ? [] : [`grant connect, temporary on database ${database} to ${to}`];
    // A database that was dropped meanwhile needs no closing.
    await of.together([...keep, `revoke all on database ${database} from public`]).catch((error: unknown) => {
      if (stateOf(error) !== '3D000') throw error;
    });
  }
}
