// The real server on clusters that were left in every bad state.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { freePort } from './ports.ts';
import { answersQuery, prepareCluster, runningServer } from './postgres.ts';
import { describeServer, MAJOR, postgresServer } from './postgres-server.ts';
import { canReach, postgresUser } from './postgres-user.ts';
import { gone, identify, stopProcess } from './process.ts';
import { start } from './program.ts';
import { cacheFolder } from './setup/folders.mjs';

let root: string;
let dir: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  chmodSync(root, 0o711);
  dir = join(root, 'postgres');
});
afterEach(async () => {
  const server = runningServer(dir);
  if (server) await stopProcess(server.identity, 'SIGQUIT', 10_000);
  rmSync(root, { recursive: true, force: true });
});

const cacheDir = cacheFolder(process.env);
/** No server of the system, unless a test puts one there. */
const system = () => join(root, 'system');
const prepare = async () => prepareCluster({ dir, system: system(), passwordFile: join(root, 'password'), port: await freePort(), cacheDir, durable: false });

async function run() {
  const { program, url } = await prepare();
  const log = openSync(join(root, 'log'), 'a');
  const { pid } = await start(program, ['ignore', log, log]);
  await vi.waitFor(() => answersQuery(url), { timeout: 30_000, interval: 50 });
  const identity = identify(pid);
  if (!identity) throw new Error('it ended');
  return { identity, url };
}

test('what an interrupted first run left is cleared away', async () => {
  mkdirSync(join(dir, 'data.new', 'base'), { recursive: true });
  writeFileSync(join(dir, 'data.new', 'PG_VERSION'), '18\n');
  writeFileSync(join(dir, 'initdb.password'), 'old');
  const { url } = await run();
  await expect(answersQuery(url)).resolves.toBeUndefined();
  expect(() => statSync(join(dir, 'data.new'))).toThrow('ENOENT');
  expect(() => statSync(join(dir, 'initdb.password'))).toThrow('ENOENT');
});

test('killed, it starts again; its pid file does not stop it even when the pid is another program now', async () => {
  const { identity } = await run();
  expect(runningServer(dir)?.identity).toEqual(identity);
  process.kill(identity.pid, 'SIGKILL');
  expect(await gone(identity, 10_000)).toBe(true);
  const pidFile = join(dir, 'data', 'postmaster.pid');
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(process.pid)));
  expect(runningServer(dir)).toBeUndefined();
  const again = await run();
  expect(again.identity).not.toEqual(identity);
});

test('a connection needs the password, and its files are private', async () => {
  const { url } = await run();
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(answersQuery(wrong.href)).rejects.toThrow('password authentication failed');
  expect(statSync(join(root, 'password')).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'data')).mode & 0o777).toBe(0o700);
});

test.runIf(process.getuid?.() === 0)('as root it runs as a user of its own, and says so when that user cannot reach it', async () => {
  const user = postgresUser();
  if (!user) throw new Error('no user');
  expect(user.uid).not.toBe(0);
  chmodSync(root, 0o700);
  expect(canReach(root, user)).toBe(false);
  await expect(prepare()).rejects.toThrow(/cannot reach .* Set SVC_STATE_DIR/);
});

test("the system's server takes over a cluster that the embedded one made, and says so; its major alone", async () => {
  const { identity } = await run();
  const data = join(dir, 'data');
  const of = { data, cacheDir, system: system() };
  expect(describeServer(of)).toMatch(/^PostgreSQL 18\.\d+, embedded/);
  await stopProcess(identity, 'SIGQUIT', 10_000);
  const { bin } = postgresServer(of);
  // A server that is laid out as Debian's packages are.
  cpSync(join(bin, '..'), join(system(), MAJOR), { recursive: true, verbatimSymlinks: true });
  expect(postgresServer(of)).toEqual({ bin: join(system(), MAJOR, 'bin'), from: 'system' });
  const { program } = await prepare();
  expect(program.command).toBe(join(system(), MAJOR, 'bin/postgres'));
  await run();
  expect(describeServer(of, runningServer(dir)?.program)).toMatch(/^PostgreSQL 18\.\d+, of the system/);
  rmSync(system(), { recursive: true });
  expect(runningServer(dir)?.program).toBe(program.command);
});

test('a cluster of another major is left as it is, and the message says what to install', async () => {
  mkdirSync(join(dir, 'data'), { recursive: true });
  writeFileSync(join(dir, 'data/PG_VERSION'), '17\n');
  await expect(prepare()).rejects.toThrow('are of PostgreSQL 17, and nothing was changed. Install that server (apt install postgresql-17)');
  expect(readFileSync(join(dir, 'data/PG_VERSION'), 'utf8')).toBe('17\n');
  expect(describeServer({ data: join(dir, 'data'), cacheDir, system: system() })).toContain('PostgreSQL 17');
});
