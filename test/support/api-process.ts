// The API as the supervisor starts it: api/main.ts as a process of its own, with a database and a Temporal server for it alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { freePort } from '../../stack/ports.ts';
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

/** Resolves when it is ready. */
export async function startApiProcess(env: Record<string, string> = {}): Promise<ApiProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-api-'));
  const keyFile = join(folder, 'secrets', 'platform.key');
  const hostSocket = join(folder, 'run', 'host.sock');
  await mkdir(join(folder, 'secrets'), { mode: 0o700 });
  await mkdir(join(folder, 'run'));
  await writeFile(keyFile, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  const [database, temporal, port] = await Promise.all([testDatabase(), testTemporal(), freePort()]);
  const url = `http://localhost:${port}`;
  const api = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', API_MAIN], {
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_BASE_URL: url,
      SVC_AGENTS_DOMAIN: `localhost:${port}`,
      SVC_STATE_DIR: folder,
      SVC_SECRETS_DIR: join(folder, 'secrets'),
      SVC_HOST_SOCKET: hostSocket,
      DATABASE_URL: database.url,
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
  await vi.waitUntil(() => log().includes('"msg":"ready"') || api.exitCode !== null, { timeout: 60_000 });
  if (api.exitCode !== null) throw new Error(log());
  return {
    process: api,
    url,
    port,
    databaseUrl: database.url,
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
