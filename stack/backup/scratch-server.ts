// A PostgreSQL on a restored data folder that nobody else reaches: through a socket in a folder of its own,
// without passwords. It ends with what it is for.
import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { answersQuery } from '../postgres.ts';
import { postgresServer } from '../postgres-server.ts';
import { postgresUser } from '../postgres-user.ts';
import { identify, stopProcess } from '../process.ts';
import { start } from '../program.ts';
import { messageOf } from './report.ts';

const run = promisify(execFile);
const SETTINGS = {
  listen_addresses: '',
  port: '5432',
  ssl: 'off',
  fsync: 'off',
  autovacuum: 'off',
  archive_mode: 'off',
  shared_preload_libraries: '',
  logging_collector: 'off',
};

/** PostgreSQL's own user must own its files. */
export async function giveToPostgres(folder: string): Promise<void> {
  const user = postgresUser();
  if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
}

export interface ScratchOptions {
  data: string;
  cacheDir: string;
  user: string;
  database: string;
}

/**
 * Runs `work` with the server's connection string. @throws Error with what the server says, where it does not
 * start
 */
export async function withScratchServer<T>({ data, cacheDir, user, database }: ScratchOptions, work: (url: string) => Promise<T>): Promise<T> {
  const as = postgresUser();
  const { bin } = postgresServer({ data, cacheDir }, as);
  const sockets = await mkdtemp(join(tmpdir(), 'svc-scratch-'));
  const logFile = join(sockets, 'log');
  const hba = join(sockets, 'hba');
  await writeFile(hba, 'local all all trust\n');
  if (as) await chown(sockets, as.uid, as.gid);
  await chmod(hba, 0o644);
  await chmod(data, 0o700);
  const settings = { ...SETTINGS, hba_file: hba, unix_socket_directories: sockets };
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const log = openSync(logFile, 'a', 0o600);
  try {
    const program = {
      command: join(bin, 'postgres'),
      args,
      cwd: dirname(data),
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      ...(as && { user: as }),
    };
    const child = await start(program, ['ignore', log, log], false);
    const identity = identify(child.pid);
    const url = `postgres://${encodeURIComponent(user)}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(sockets)}`;
    try {
      for (;;) {
        const failure = await answersQuery(url).then(() => undefined, messageOf); // prettier-ignore
        if (failure === undefined) break;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`PostgreSQL does not start on the restored data: ${lastWords(logFile) || failure}`);
        await delay(100);
      }
      return await work(url);
    } finally {
      if (identity) await stopProcess(identity, 'SIGQUIT', 20_000);
    }
  } finally {
    closeSync(log);
    await rm(sockets, { recursive: true, force: true });
  }
}

const lastWords = (file: string): string => readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' ');
