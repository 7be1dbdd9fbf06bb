// The API as the supervisor starts it: api/main.ts as a process of its own, with a database and a Temporal
// server for it alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#stack/ports.ts';
import { testDatabase, testTemporal } from './servers.ts';

export const API_MAIN = fileURLToPath(new URL('../../api/main.ts', import.meta.url));

export interface ApiProcess {
  process: ChildProcess;
  /** `http://localhost:<port>` */
  url: string;
  port: number;
  databaseUrl: string;
  /** State, secrets, and the sockets of the host and its instances. */
  folder: string;
  hostSocket: string;
  keyFile: string;
  /** Everything written to stdout and stderr so far. */
  log(): string;
  /** Lines of the log that name an error or worse (pino's level 50), or are not of the log at all. */
  errors(): string[];
  kill(): Promise<void>;
}

export interface ApiProcessOptions {
  /** Default: api/main.ts. */
  program?: string;
  /** Default: a database of its own, and the test run's Temporal server. */
  servers?: { databaseUrl: string; temporal: { address: string; namespace: string } };
}

/** Resolves when it is ready. */
export async function startApiProcess(env: Record<string, string> = {}, { program = API_MAIN, servers }: ApiProcessOptions = {}): Promise<ApiProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-api-'));
  const keyFile = join(folder, 'secrets', 'platform.key');
  const hostSocket = join(folder, 'run', 'host.sock');
  await mkdir(join(folder, 'secrets'), { mode: 0o700 });
  await mkdir(join(folder, 'run'));
  await writeFile(keyFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  const [{ databaseUrl, temporal }, port] = await Promise.all([servers ?? testServers(), freePort()]);
  const url = `http://localhost:${port}`;
  const api = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_BASE_URL: url,
      SVC_AGENTS_DOMAIN: `localhost:${port}`,
      SVC_STATE_DIR: folder,
      SVC_SECRETS_DIR: join(folder, 'secrets'),
      SVC_HOST_SOCKET: hostSocket,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: temporal.namespace,
      OIDC_ISSUER: `${url}/idp`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [api.stdout, api.stderr]) stream.on('data', (chunk: Buffer) => void chunks.push(chunk.toString()));
  const log = (): string => chunks.join('');
  for (const until = Date.now() + 60_000; !log().includes('"msg":"ready"');) {
    if (api.exitCode !== null || Date.now() > until) throw new Error(log());
    await sleep(20);
  }
  return {
    process: api,
    url,
    port,
    databaseUrl,
    folder,
    hostSocket,
    keyFile,
    log,
    errors: () =>
      log()
        .split('\n')
        .filter((line) => line !== '' && !/^\{"level":(?:10|20|30|40),/.test(line)),
    async kill() {
      api.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function testServers(): Promise<NonNullable<ApiProcessOptions['servers']>> {
  const [{ url }, temporal] = await Promise.all([testDatabase(), testTemporal()]);
  return { databaseUrl: url, temporal };
}
