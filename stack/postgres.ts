// One PostgreSQL cluster of this machine: made once, started by its supervisor, reached over loopback with a
// password.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { readText, writeOnce } from './files.ts';
import { postgresServer } from './postgres-server.ts';
import { canReach, postgresUser, type SystemUser } from './postgres-user.ts';
import { commandLine, identify, type Identity } from './process.ts';
import type { Program } from './program.ts';

export interface ClusterOptions {
  /** Only for PostgreSQL; the data is in `data` below it. */
  dir: string;
  /** Made with a random password when absent; readable by this user only. */
  passwordFile: string;
  port: number;
  /** Where binaries are copied to when the server's user cannot reach the installed ones. */
  cacheDir: string;
  /** False for tests: a crash of the machine may lose data, and everything is faster. */
  durable: boolean;
  /** Where the system's servers are, by their major. */
  system?: string;
  /** More settings of the server. */
  settings?: Readonly<Record<string, string>>;
}

export interface Cluster {
  program: Program;
  /** Connection string of the database `svc`, password included. */
  url: string;
}

const superuser = 'svc';
const database = 'svc';
/**
 * Databases of accounts take what is left: however many connections they open, the platform keeps its own.
 */
const connections = { max_connections: '300', superuser_reserved_connections: '200' };
const common = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...connections, timezone: 'UTC', log_timezone: 'UTC' };
const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' };

/**
 * Makes the cluster when there is none and returns how to run it. Idempotent; an interrupted first run starts
 * over.
 */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  const user = postgresUser();
  const password = writeOnce(options.passwordFile, randomBytes(24).toString('base64url'));
  const data = join(options.dir, 'data');
  const { bin } = postgresServer({ data, cacheDir: options.cacheDir, system: options.system }, user);
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  chmodSync(options.dir, 0o700);
  own(options.dir, user);
  if (user !== undefined && !canReach(options.dir, user)) {
    throw new Error(
      `PostgreSQL's own user cannot reach ${options.dir}. Set SVC_STATE_DIR to a folder that other users may pass through, for example /var/lib/svc.`,
    );
  }
  if (!existsSync(data)) await initialise(bin, options, password, data, user);
  clearStalePid(data);
  const settings = { ...common, ...(options.durable ? {} : fast), ...options.settings, port: String(options.port) };
  const program: Program = {
    command: join(bin, 'postgres'),
    args: ['-D', data, ...asArguments(settings)],
    cwd: options.dir,
    env: serverEnvironment,
    ...(user === undefined ? {} : { user }),
  };
  return { program, url: `postgres://${superuser}:${password}@127.0.0.1:${options.port}/${database}` };
}

/** The server that runs on this cluster now, its port, and the path of its program. */
export function runningServer(dir: string): { identity: Identity; port: number; program: string } | undefined {
  const data = join(dir, 'data');
  const lines = readText(join(data, 'postmaster.pid'))?.split('\n') ?? [];
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!Number.isInteger(pid) || pid <= 0 || !Number.isInteger(port)) return undefined;
  const command = commandLine(pid);
  if (!command.includes(data)) return undefined;
  const identity = identify(pid);
  return identity && { identity, port, program: command.slice(0, command.indexOf(' -D ')) };
}

/** Resolves when the server answers a query; rejects with its reason otherwise. */
export async function answersQuery(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 3_000, application_name: 'svc-health' });
  client.on('error', () => {}); // a server that dies mid-query rejects the query below as well
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end().catch(() => {});
  }
}

const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

async function initialise(bin: string, options: ClusterOptions, password: string, data: string, user: SystemUser | undefined): Promise<void> {
  const draft = `${data}.new`;
  const passwordCopy = join(options.dir, 'initdb.password');
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordCopy, { force: true });
  writeFileSync(passwordCopy, password, { mode: 0o600, flag: 'wx' });
  own(passwordCopy, user);
  const as = { ...user, env: serverEnvironment, cwd: options.dir };
  try {
    const sync = options.durable ? [] : ['--no-sync'];
    const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const about = ['-D', draft, '-U', superuser, `--pwfile=${passwordCopy}`, '--auth=scram-sha-256', ...text, ...sync];
    await run(join(bin, 'initdb'), [...about, ...asArguments(options.settings)], as);
    const single = run(join(bin, 'postgres'), ['--single', '-D', draft, ...(options.durable ? [] : ['-F']), 'postgres'], as);
    single.child.stdin?.end(`create database ${database}\n`);
    await single;
  } finally {
    rmSync(passwordCopy, { force: true });
  }
  renameSync(draft, data);
}

const run = promisify(execFile);
const asArguments = (settings: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** A pid file whose process is no longer this cluster's server would keep the next one from starting. */
function clearStalePid(data: string): void {
  if (runningServer(join(data, '..')) === undefined) rmSync(join(data, 'postmaster.pid'), { force: true });
}

function own(path: string, user: SystemUser | undefined): void {
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
