// Which PostgreSQL serves a cluster: the system's, which its distribution keeps current, else the one of the
// npm package. A cluster is run by its own major only.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { readText } from './files.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { postgresUser, type SystemUser } from './postgres-user.ts';

/** Of the npm package, and of every new cluster. */
export const MAJOR = '18';
/** Where Debian's packages and those of postgresql.org are. */
const SYSTEM = '/usr/lib/postgresql';

export interface PostgresServer {
  /** The folder that holds initdb and postgres. */
  bin: string;
  from: 'system' | 'embedded';
}

export interface ServerOptions {
  /** Of the cluster; it may not exist yet. */
  data: string;
  cacheDir: string;
  /** Folders of servers by their major. */
  system?: string | undefined;
}

/** @throws Error that says what to install, for a cluster of a major that is not here */
export function postgresServer({ data, cacheDir, system = SYSTEM }: ServerOptions, user: SystemUser | undefined = postgresUser()): PostgresServer {
  const major = readText(join(data, 'PG_VERSION'))?.trim() ?? MAJOR;
  const bin = join(system, major, 'bin');
  if (['postgres', 'initdb'].every((name) => existsSync(join(bin, name)))) return { bin, from: 'system' };
  if (major === MAJOR) return { bin: postgresBinaries(cacheDir, user), from: 'embedded' };
  throw new Error(
    `The data in ${data} are of PostgreSQL ${major}, and nothing was changed. Install that server (apt install postgresql-${major}), or move the data with pg_upgrade or pg_dump to PostgreSQL ${MAJOR}.`,
  );
}

/**
 * One line for people; undefined: there is no cluster yet. @param running the program that serves it now;
 * absent: of the next start
 */
export function describeServer(options: ServerOptions, running?: string): string | undefined {
  if (!existsSync(options.data)) return undefined;
  try {
    const { bin, from } = running === undefined ? postgresServer(options) : serverOf(dirname(running), options.system);
    const version = execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8', timeout: 10_000 })
      .trim()
      .replace(/^postgres \(PostgreSQL\) /, '');
    if (from === 'system') return `PostgreSQL ${version}, of the system (${bin})`;
    return `PostgreSQL ${version}, embedded: enough for one person. For others' databases: apt install postgresql-${MAJOR} (apt.postgresql.org), then npm run down and up`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const serverOf = (bin: string, system = SYSTEM): PostgresServer => ({ bin, from: bin.startsWith(`${system}${sep}`) ? 'system' : 'embedded' });
