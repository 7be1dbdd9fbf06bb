// The commands as people run them, over the real PostgreSQL and Temporal, in a state folder of their own.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import pg from 'pg';
import { compileCache } from '#test/support/compile-cache.ts';
import { testDatabase, testTemporal } from '#test/support/servers.ts';
import { freePort } from './ports.ts';
import { identify, isAlive, processesWithEnv } from './process.ts';

const main = join(import.meta.dirname, 'main.ts');
const Status = z.object({
  up: z.boolean(),
  parts: z.array(z.object({ part: z.string(), state: z.string(), pid: z.number().optional(), address: z.string().optional() })),
});
let state: string;
let env: Record<string, string>;

/** A state folder of its own, with ports of its own. */
async function newInstallation(): Promise<void> {
  state = mkdtempSync(join(tmpdir(), 'svc-up-'));
  chmodSync(state, 0o711); // PostgreSQL's user passes through it
  env = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '/',
    NODE_COMPILE_CACHE: compileCache(),
    SVC_STATE_DIR: state,
    SVC_PARTS: 'postgres,temporal,temporal-ui,migrate,namespace',
    SVC_PORT: String(await freePort()),
    SVC_TEMPORAL_PORT: String(await freePort()),
    SVC_TEMPORAL_UI_PORT: String(await freePort()),
  };
}

const down = async (): Promise<void> => void (await stack('down'));
const remove = (): void => rmSync(state, { recursive: true, force: true });

function stack(command: string, more: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...command.split(' ')], { env: { ...env, ...more } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: stdout + stderr }),
    );
  });
}

async function status(more: Record<string, string> = {}) {
  const { parts, up } = Status.parse(JSON.parse((await stack('status --json', more)).text));
  return { up, parts: Object.fromEntries(parts.map((part) => [part.part, part])) };
}

const pidOf = (name: string) => Number(readFileSync(join(state, 'run', `${name}.pid`), 'utf8'));

async function query(text: string, url = databaseUrl()) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function databaseUrl(): string {
  const { postgres } = z.object({ postgres: z.number() }).parse(JSON.parse(readFileSync(join(state, 'ports.json'), 'utf8')));
  return `postgres://svc:${readFileSync(join(state, 'secrets', 'postgres.password'), 'utf8')}@127.0.0.1:${postgres}/svc`;
}

describe('one installation, over and over', () => {
  beforeAll(newInstallation);
  afterEach(down);
  afterAll(remove);

  test('up brings everything up once, down takes all of it down and keeps the data', async () => {
    const [first, second] = await Promise.all([stack('up'), stack('up')]);
    expect([first.code, second.code], first.text + second.text).toEqual([0, 0]);
    const { up, parts } = await status();
    expect(up).toBe(true);
    expect(parts).toMatchObject({
      postgres: { state: 'healthy' },
      temporal: { state: 'healthy' },
      'temporal-ui': { state: 'healthy' },
      migrate: { state: 'done' },
      api: { state: 'skipped' },
    });
    await query(`create table if not exists kept (n int)`);
    const pids = ['supervisor', 'postgres', 'temporal', 'temporal-ui'].map(pidOf);
    expect(await (await fetch(parts['temporal-ui']?.address ?? '')).text()).toContain('/namespaces/svc/workflows');

    expect((await stack('down')).code).toBe(0);
    expect(pids.map(identify)).toEqual([undefined, undefined, undefined, undefined]);
    expect(processesWithEnv(`SVC_SUPERVISED=${state}`)).toEqual([]);
    expect((await status()).up).toBe(false);
    expect((await stack('down')).text).toContain('Nothing was up');

    expect((await stack('up')).code).toBe(0);
    await expect(query('select * from kept')).resolves.toEqual([]);
  });

  test('up after a power cut: every process killed, pid and lock files left as they were', async () => {
    const first = await stack('up');
    expect(first.code, first.text).toBe(0);
    await query(`create table if not exists held (n int)`);
    const identities = ['supervisor', 'postgres', 'temporal'].map((name) => identify(pidOf(name)));
    for (const identity of identities) process.kill(identity?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(identities.some((identity) => identity && isAlive(identity))).toBe(false));
    expect(existsSync(join(state, 'postgres', 'data', 'postmaster.pid'))).toBe(true);
    const again = await stack('up');
    expect(again.code, again.text).toBe(0);
    await expect(query('select * from held')).resolves.toEqual([]);
  });

  test('a killed supervisor is replaced by the next up, which adopts what runs; down works without one', async () => {
    const first = await stack('up');
    expect(first.code, first.text).toBe(0);
    const before = [pidOf('postgres'), pidOf('temporal')];
    process.kill(pidOf('supervisor'), 'SIGKILL');
    await vi.waitFor(async () => expect((await stack('status')).text).toContain('supervisor is gone'));
    expect((await stack('up')).code).toBe(0);
    expect([pidOf('postgres'), pidOf('temporal')]).toEqual(before);
    process.kill(pidOf('supervisor'), 'SIGKILL');
    const down = await stack('down');
    expect(down.text).toContain('down: postgres, temporal');
    expect(before.map(identify)).toEqual([undefined, undefined]);
  });

  test('what is secret is readable by its owner only, and no log tells it', async () => {
    await stack('up');
    const secrets = join(state, 'secrets');
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    const names = readdirSync(secrets);
    expect(names.sort()).toEqual(['local-login.key', 'platform.key', 'postgres.password']);
    const logs = readdirSync(join(state, 'logs')).map((name) => readFileSync(join(state, 'logs', name), 'utf8'));
    for (const name of names) {
      expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600);
      expect(logs.join('')).not.toContain(readFileSync(join(secrets, name), 'utf8'));
    }
  });

  test('logs shows what a part wrote, and names the parts there are', async () => {
    await stack('up');
    expect((await stack('logs migrate -n 1')).text.trim()).toMatch(/^migrated: |^the schema is current$/);
    const { code, text } = await stack('logs nonsense');
    expect(code).toBe(1);
    expect(text).toContain('postgres');
  });
});

describe('a new installation', () => {
  beforeEach(newInstallation);
  afterEach(async () => {
    await down();
    remove();
  });

  test('down ends an up that has only just begun', async () => {
    const up = stack('up');
    await vi.waitFor(() => expect(existsSync(join(state, 'run', 'supervisor.pid'))).toBe(true), 10_000);
    expect((await stack('down')).code).toBe(0);
    expect(processesWithEnv(`SVC_SUPERVISED=${state}`)).toEqual([]);
    expect((await up).code).toBe(1);
  });

  test('DATABASE_URL and TEMPORAL_ADDRESS replace our servers', async () => {
    const [database, temporal] = await Promise.all([testDatabase(), testTemporal()]);
    const outside = { DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporal.address };
    const up = await stack('up', outside);
    expect(up.code, up.text).toBe(0);
    const { parts } = await status(outside);
    expect(parts).toMatchObject({
      postgres: { state: 'healthy' },
      temporal: { state: 'healthy', address: temporal.address },
      migrate: { state: 'done' },
      namespace: { state: 'done' },
    });
    expect(parts.postgres?.pid).toBeUndefined();
    expect(existsSync(join(state, 'postgres'))).toBe(false);
    const password = new URL(database.url).password;
    const shown = (await stack('status', outside)).text;
    expect(shown).toContain(new URL(database.url).host);
    expect(shown).not.toContain(password);
    await stack('down', outside);
    await expect(query('select 1 as one', database.url)).resolves.toEqual([{ one: 1 }]); // not ours to stop
  });

  test('an unreachable database of the user is named, without its password', async () => {
    const up = stack('up', { DATABASE_URL: `postgres://me:hunter2@127.0.0.1:${await freePort()}/x`, SVC_PARTS: 'postgres' });
    await vi.waitFor(async () => {
      const { parts } = await status({ SVC_PARTS: 'postgres' });
      expect(parts.postgres?.state).toBe('unhealthy');
    });
    const { text } = await stack('status', { SVC_PARTS: 'postgres' });
    expect(text).toContain('ECONNREFUSED');
    expect(text).not.toContain('hunter2');
    await stack('down');
    expect((await up).code).toBe(1);
  });

  test.each(['SVC_PORT', 'SVC_TEMPORAL_PORT'])('a taken %s is named, with its holder and the way out', async (variable) => {
    const server = await new Promise<Server>((resolve) => {
      const made = createServer().listen(Number(env[variable]), '127.0.0.1', () => resolve(made));
    });
    try {
      const { code, text } = await stack('up');
      expect(code).toBe(1);
      expect(text).toContain(`Port ${env[variable]} is taken by process ${process.pid}`);
      expect(text).toContain(`${variable}=`);
      expect((await status()).parts).toEqual({});
    } finally {
      server.close();
    }
  });
});
