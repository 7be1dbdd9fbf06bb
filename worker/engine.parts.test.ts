// The worker's process where the engine is not reached at first: housekeeping does not wait for it, and work
// is taken on as soon as it is there.
import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cacheFolder, repository } from '#stack/setup/folders.mjs';
import { testContext } from '#test/support/context.ts';
import { testTemporal } from '#test/support/servers.ts';

const soon = { timeout: 60_000, interval: 100 };

test('loops run while the engine is down, and the worker is ready when it is back', async () => {
  const temporal = await testTemporal();
  const t = await testContext();
  onTestFinished(() => t.close());
  const [host = '', port = ''] = temporal.address.split(':');
  const gate = createServer((socket) => {
    const through = connect(Number(port), host);
    socket.pipe(through).pipe(socket);
    for (const end of [socket, through]) end.on('error', () => end.destroy());
  });
  const address = await freePort(gate);
  const ready = join(t.stateDir, 'worker.ready');
  const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(repository, 'worker/main.ts')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: t.databaseUrl,
      TEMPORAL_ADDRESS: `127.0.0.1:${address}`,
      TEMPORAL_NAMESPACE: temporal.namespace,
      SVC_STATE_DIR: t.stateDir,
      SVC_SECRETS_DIR: join(t.stateDir, 'secrets'),
      SVC_CACHE_DIR: cacheFolder(process.env),
      SVC_HOST_SOCKET: join(t.stateDir, 'no-host.sock'),
      SVC_BASE_URL: 'http://localhost:8080',
      SVC_AGENTS_DOMAIN: 'agents.localhost',
      SVC_READY_FILE: ready,
      SVC_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(worker, 'exit');
  onTestFinished(async () => {
    worker.kill('SIGKILL');
    await ended;
    gate.close();
  });
  const old = {
    outbox_id: 'out_old',
    kind: 'signal' as const,
    workflow_id: 'gone',
    name: 'x',
    message: '{}',
    request_id: 'req_old',
    sent_at: new Date(Date.now() - 30 * 86_400_000),
  };
  await t.ctx.db('outbox').insert(old);
  await vi.waitFor(async () => expect(await t.ctx.db('outbox').where({ outbox_id: old.outbox_id })).toEqual([]), soon);
  await expect(access(ready)).rejects.toThrow();
  gate.listen(address, '127.0.0.1');
  await vi.waitFor(() => access(ready), soon);
  worker.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

/** One that was free a moment ago; the server is closed. */
async function freePort(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (at === null || typeof at === 'string') throw new Error('the server has no port');
  return at.port;
}
