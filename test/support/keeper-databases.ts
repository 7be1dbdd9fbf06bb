// A disposable PostgreSQL cluster with one migrated template; every caller gets a clone of it.
import { join } from 'node:path';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '#db/migrate.ts';
import { freePort } from '#stack/ports.ts';
import { answersQuery, prepareCluster } from '#stack/postgres.ts';
import { identify, stopProcess, type Identity } from '#stack/process.ts';
import { start } from '#stack/program.ts';
import { cacheFolder } from '#stack/setup/folders.mjs';

/**
 * For a server of many databases that live for seconds. Few rounds of SCRAM: a password is checked for each
 * connection.
 */
export const SHORT_LIVED = { autovacuum: 'off', jit: 'off', max_wal_size: '256MB', scram_iterations: '1' };

export interface DatabasesOptions {
  durable?: boolean;
  settings?: Readonly<Record<string, string>>;
}

export interface MadeDatabase {
  name: string;
  /** Its connection string. */
  url: string;
}

export function databases(dir: string, { durable = false, settings = {} }: DatabasesOptions = {}) {
  let server: Promise<{ identity: Identity; url: string; admin: pg.Client }> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;

  const begin = async () => {
    const logFile = join(dir, 'postgres.log');
    const cluster = await prepareCluster({
      dir: join(dir, 'postgres'),
      passwordFile: join(dir, 'password'),
      port: await freePort(),
      cacheDir: cacheFolder(process.env),
      durable,
      settings,
    });
    const log = openSync(logFile, 'a', 0o600);
    const child = await start(cluster.program, ['ignore', log, log]);
    const identity = identify(child.pid);
    if (!identity) throw new Error(`PostgreSQL ended at once:\n${readFileSync(logFile, 'utf8')}`);
    await retry(
      () => answersQuery(cluster.url),
      () => child.exitCode === null,
      logFile,
    );
    await migrate(cluster.url);
    // Databases are made from a connection to another database: a template must have no visitors.
    const admin = new pg.Client({ connectionString: cluster.url.replace(/\/svc$/, '/postgres') });
    admin.on('error', () => {});
    await admin.connect();
    return { identity, url: cluster.url, admin };
  };

  /** One after the other, on one connection. */
  const query = async (text: string): Promise<string> => {
    const { url, admin } = await (server ??= begin());
    const made = last.then(() => admin.query(text));
    last = made.catch(() => {});
    await made;
    return url;
  };

  return {
    /**
     * A copy of the migrated template, or of a database that was made here and has no visitors. Copied as
     * files: logged by the page it costs three times as much.
     */
    create: async (from = 'svc'): Promise<MadeDatabase> => {
      const name = `test_${(count += 1)}`;
      const url = await query(`create database ${name} template ${pg.escapeIdentifier(from)} strategy file_copy`);
      return { name, url: url.replace(/\/svc$/, `/${name}`) };
    },
    /** Visitors are thrown out. */
    drop: async (name: string): Promise<void> => void (await query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)),
    stop: async () => {
      const running = await server?.catch(() => undefined);
      await running?.admin.end().catch(() => {});
      // Nothing here is worth a clean shutdown: SIGQUIT ends every backend at once.
      if (running) await stopProcess(running.identity, 'SIGQUIT', 5_000);
    },
  };
}

async function retry(attempt: () => Promise<void>, goesOn: () => boolean, logFile: string): Promise<void> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!goesOn()) throw new Error(`PostgreSQL ended:\n${readFileSync(logFile, 'utf8')}`, { cause: error });
      await sleep(20);
    }
  }
}
