// One Temporal development server per test run, with the settings of temporal-dev.yml.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { msToTs } from '@temporalio/common/lib/time.js';
import { accepts, freePort } from '#stack/ports.ts';
import { identify, stopProcess, type Identity } from '#stack/process.ts';
import { start } from '#stack/program.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';
import { installTemporal } from '#stack/setup/temporal-binary.mjs';
import { devServer, devServerNamespace, devServerSearchAttributes } from '#stack/temporal.ts';

/** `settings`: of its dynamic configuration, beside those of temporal-dev.yml. */
export function temporalServer(dir: string, settings: Readonly<Record<string, number>> = {}) {
  let server: Promise<{ identity: Identity; address: string }> | undefined;

  const begin = async () => {
    const logFile = join(dir, 'temporal.log');
    const binary = await installTemporal(process.env, cacheFolder(process.env));
    const port = await freePort();
    const program = devServer({ binary, port, databaseFile: join(dir, 'temporal', 'temporal.db') });
    program.args.push(...Object.entries(settings).map(([name, value]) => `--dynamic-config-value=${name}=${value}`));
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
    /**
     * A namespace for each who asks: files that run at the same time would take each other's work from the
     * queues, which have fixed names.
     */
    address: async () => {
      const { address } = await (server ??= begin());
      const namespace = `${devServerNamespace()}-${randomUUID()}`;
      await makeNamespace(address, namespace);
      return { address, namespace };
    },
    stop: async () => {
      const running = await server?.catch(() => undefined);
      if (running) await stopProcess(running.identity, 'SIGKILL', 5_000);
    },
  };
}

/** temporal.api.enums.v1.IndexedValueType */
const KEYWORD = 2;

/** With the search attributes of the installation's own. */
async function makeNamespace(address: string, namespace: string): Promise<void> {
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
    const searchAttributes = Object.fromEntries(devServerSearchAttributes().map((name) => [name, KEYWORD]));
    for (const until = Date.now() + 60_000; ;) {
      try {
        await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
        await connection.workflowService.describeNamespace({ namespace });
        return;
      } catch (error) {
        // The server learns of its namespaces a moment after it has made them.
        if (Date.now() > until) throw error;
        await sleep(50);
      }
    }
  } finally {
    await connection.close();
  }
}
