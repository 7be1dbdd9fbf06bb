import { readText } from '../files.ts';
import type { Part } from '../part.ts';
import { knownPort } from '../ports.ts';
import { answersQuery, prepareCluster, runningServer, type ClusterOptions } from '../postgres.ts';
import { places, type Settings } from '../settings.ts';

/** Ours on loopback, or the user's behind DATABASE_URL. */
export function postgresPart(settings: Settings, url: string): Part {
  const health = () => answersQuery(url);
  const { host, pathname } = new URL(url);
  const common = { name: 'postgres', after: [], address: `${host}${pathname}`, health };
  if (settings.DATABASE_URL !== undefined) return { ...common, kind: 'external' };
  const { postgres: dir } = places(settings.stateDir);
  return {
    ...common,
    kind: 'service',
    program: async () => (await prepareCluster(clusterOptions(settings))).program,
    // "Fast" shutdown: running transactions are rolled back, everything is written.
    stop: { signal: 'SIGINT', graceMs: 20_000 },
    find: () => runningServer(dir)?.identity,
  };
}

/** For programs beside the installation, with the password. Throws where our own server does not run. */
export function runningDatabaseUrl(settings: Settings): string {
  if (settings.DATABASE_URL !== undefined) return settings.DATABASE_URL;
  const { postgres, postgresPassword } = places(settings.stateDir);
  const server = runningServer(postgres);
  const password = readText(postgresPassword);
  if (!server || password === undefined) throw new Error('PostgreSQL is not running: `npm run up` first.');
  return `postgres://svc:${password.trim()}@127.0.0.1:${server.port}/svc`;
}

/** The port is the one that ports.json remembers. */
export function clusterOptions(settings: Settings): ClusterOptions {
  const { ports, postgres, postgresPassword } = places(settings.stateDir);
  const port = knownPort(ports, 'postgres');
  if (port === undefined) throw new Error('no port was chosen for PostgreSQL');
  return { dir: postgres, passwordFile: postgresPassword, port, cacheDir: settings.cacheDir, durable: true };
}
