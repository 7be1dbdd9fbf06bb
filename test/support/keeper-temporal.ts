// One Temporal development server per test run, with the settings of temporal-dev.yml.
import { join } from 'node:path';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts, freePort } from '../../stack/ports.ts';
import { identify, stopProcess, type Identity } from '../../stack/process.ts';
import { start } from '../../stack/program.ts';
import { cacheFolder } from '../../stack/setup/folders.mjs';
import { installTemporal } from '../../stack/setup/temporal-binary.mjs';
import { devServer, devServerNamespace } from '../../stack/temporal.ts';

export function temporalServer(dir: string) {
  let server: Promise<{ identity: Identity; address: string }> | undefined;

  const begin = async () => {
    const logFile = join(dir, 'temporal.log');
    const binary = await installTemporal(process.env, cacheFolder(process.env));
    const port = await freePort();
    const program = devServer({ binary, port, databaseFile: join(dir, 'temporal', 'temporal.db') });
    const log = openSync(logFile, 'a', 0o600);
    const child = await start(program, ['ignore', log, log]);
    const identity = identify(child.pid);
    while (identity && child.exitCode === null) {
      if (await accepts('127.0.0.1', port)) return { identity, address: `127.0.0.1:${port}` };
      await sleep(50);
    }
    throw new Error(`Temporal ended:\n${readFileSync(logFile, 'utf8')}`);
  };

  return {
    address: async () => ({ address: (await (server ??= begin())).address, namespace: devServerNamespace() }),
    stop: async () => {
      const running = await server?.catch(() => undefined);
      if (running) await stopProcess(running.identity, 'SIGKILL', 5_000);
    },
  };
}
