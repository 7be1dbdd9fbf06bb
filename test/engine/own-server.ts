// A Temporal server of one test's own: it can be emptied, and put back to an earlier moment.
import { cpSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts, freePort } from '#stack/ports.ts';
import { identify, stopProcess, type Identity } from '#stack/process.ts';
import { start } from '#stack/program.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { installTemporal } from '#stack/setup/temporal-binary.mjs';
import { devServer, devServerNamespace } from '#stack/temporal.ts';

export interface OwnServer {
  address: string;
  namespace: string;
  /** Its data as they are now. */
  keep(): Promise<void>;
  /** The data that were kept, in place of its own. */
  putBack(): Promise<void>;
  /** New data, without any workflow. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export async function ownServer(dir: string): Promise<OwnServer> {
  const [data, copy] = [join(dir, 'data'), join(dir, 'copy')];
  const port = await freePort();
  const binary = await installTemporal(process.env, cacheFolder(process.env));
  let running = await begin();

  async function begin(): Promise<Identity> {
    const log = openSync(join(dir, 'temporal.log'), 'a', 0o600);
    const child = await start(devServer({ binary, port, databaseFile: join(data, 'temporal.db') }), ['ignore', log, log]);
    const identity = identify(child.pid);
    while (identity && child.exitCode === null) {
      if (await accepts('127.0.0.1', port)) return identity;
      await sleep(50);
    }
    throw new Error(`Temporal ended: see ${dir}/temporal.log`);
  }
  /** Stopped meanwhile. */
  const change = async (work: () => void): Promise<void> => {
    await stopProcess(running, 'SIGTERM', 10_000);
    work();
    running = await begin();
  };

  return {
    address: `127.0.0.1:${port}`,
    namespace: devServerNamespace(),
    keep: () => change(() => cpSync(data, copy, { recursive: true })),
    putBack: () =>
      change(() => {
        rmSync(data, { recursive: true });
        cpSync(copy, data, { recursive: true });
      }),
    empty: () => change(() => rmSync(data, { recursive: true })),
    close: async () => {
      await stopProcess(running, 'SIGKILL', 5_000);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
