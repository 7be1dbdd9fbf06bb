// The process as the supervisor runs it: it answers at its socket, and ends when it is asked to.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { importsSocket } from '#drivers/runtime/sockets.ts';
import { testDatabase } from '#test/support/servers.ts';

function status(socketPath: string, headers: Record<string, string> = {}, path = '/health'): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, headers }, (answer) => resolve(answer.resume().statusCode));
    asked.once('error', () => resolve(undefined)).end();
  });
}

test('it says when it is ready, admits no unknown key, and ends on SIGTERM', async () => {
  const state = await mkdtemp(join(tmpdir(), 'svc-imp-'));
  onTestFinished(() => rm(state, { recursive: true }));
  for (const folder of ['run', 'secrets']) await mkdir(join(state, folder), { mode: 0o700 });
  await writeFile(join(state, 'secrets', 'platform.key'), randomBytes(32).toString('base64url'), { mode: 0o600 });
  const env = {
    PATH: process.env.PATH ?? '',
    DATABASE_URL: (await testDatabase()).url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SVC_BASE_URL: 'http://localhost:8080',
    SVC_AGENTS_DOMAIN: 'localhost:8080',
    SVC_STATE_DIR: state,
    SVC_SECRETS_DIR: join(state, 'secrets'),
    SVC_HOST_SOCKET: join(state, 'run', 'host.sock'),
  };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const socket = importsSocket(state);
  await expect.poll(() => status(socket), { timeout: 60_000 }).toBe(200);
  expect(await status(socket, {}, '/invoke/x')).toBe(401);
  const key = `svc_imp_imp_00000000-0000-7000-8000-000000000000.${'a'.repeat(43)}`;
  expect(await status(socket, { authorization: `Bearer ${key}` }, '/invoke/x')).toBe(401);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
