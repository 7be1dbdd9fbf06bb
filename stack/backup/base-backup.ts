// A physical backup of a whole PostgreSQL server by its own replication protocol: every database and role of
// it at one position, with the log that brings the files there.
import { PassThrough, type Readable } from 'node:stream';
import pg from 'pg';
import { errorCode } from '../files.ts';
import { messageOf } from './report.ts';

export interface BaseBackup {
  /** The data folder as a tar archive. */
  archive: Readable;
  /** Resolves once the server has ended the backup; then `archive` is whole. */
  done: Promise<{ start_lsn: string; stop_lsn: string }>;
  /** The archive fails, and the server gives the backup up. */
  abort(error: Error): void;
}

const COMMAND = "BASE_BACKUP (LABEL 'svc', WAL true, CHECKPOINT 'fast', MANIFEST 'yes')";

/** @throws Error that says what to grant, where the server gives no replication connection */
export async function startBaseBackup(url: string): Promise<BaseBackup> {
  // Safe: `replication` reaches the server (pg/lib/connection-parameters.js), but is not in the types.
  const config = { connectionString: url, replication: 'true', application_name: 'svc-backup', keepAlive: true } as pg.ClientConfig;
  const client = new pg.Client(config);
  client.on('error', () => undefined); // the query hears of it too
  try {
    await client.connect();
  } catch (error) {
    throw refused(url, error);
  }
  const archive = new PassThrough({ highWaterMark: 8 * 2 ** 20 });
  const receiver = new Receiver(archive);
  client.query(receiver);
  const done = receiver.done
    .catch((error: unknown) => {
      const reason = refused(url, error);
      archive.destroy(reason);
      throw reason;
    })
    .finally(() => client.end().catch(() => undefined));
  done.catch(() => undefined); // the archive says so too
  return { archive, done, abort: (error) => receiver.abort(error) };
}

/** One stream of the server: archives and a manifest, each message with a letter before it. */
class Receiver implements pg.Submittable {
  readonly done: Promise<{ start_lsn: string; stop_lsn: string }>;
  #settle: { resolve(at: { start_lsn: string; stop_lsn: string }): void; reject(error: unknown): void } | undefined;
  #connection: pg.Connection | undefined;
  #archives = 0;
  #inManifest = false;
  /** More of what was received at once may still come. */
  #paused = false;
  #rows: (string | null)[][] = [];
  readonly #archive: PassThrough;

  constructor(archive: PassThrough) {
    this.#archive = archive;
    this.done = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    archive.once('close', () => {
      if (!archive.writableFinished) this.abort(new Error('The backup was given up.'));
    });
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(COMMAND);
  }
  abort(error: Error): void {
    this.#settle?.reject(error);
    this.#connection?.stream.destroy();
  }

  // ---- what the client hands over

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(fields);
  }
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const kind = String.fromCharCode(chunk[0] ?? 0);
    if (kind === 'n' && (this.#archives += 1) > 1)
      this.abort(
        new Error(
          'The server has tablespaces outside of its data folder, which a backup cannot hold: move what is in them (ALTER TABLE … SET TABLESPACE), and drop them.',
        ),
      );
    if (kind === 'm') this.#inManifest = true;
    if (kind !== 'd' || this.#inManifest || this.#archive.destroyed) return;
    // Copied: the client uses its buffer again.
    if (this.#archive.write(Buffer.from(chunk.subarray(1))) || this.#paused) return;
    this.#paused = true;
    this.#connection?.stream.pause();
    this.#archive.once('drain', () => {
      this.#paused = false;
      this.#connection?.stream.resume();
    });
  }
  handleError(error: unknown): void {
    this.#settle?.reject(error);
  }
  handleReadyForQuery(): void {
    const [start, stop] = [this.#rows.at(0)?.[0], this.#rows.at(-1)?.[0]];
    if (!start || !stop || this.#archives !== 1) return this.#settle?.reject(new Error('PostgreSQL ended the backup without its end position: run it again.'));
    this.#archive.end();
    this.#settle?.resolve({ start_lsn: start, stop_lsn: stop });
  }
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}

function refused(url: string, error: unknown): Error {
  const { host, username } = new URL(url);
  const code = errorCode(error);
  if (code !== '42501' && code !== '28000' && !/walsender|replication|wal_level/i.test(messageOf(error)))
    return new Error(`PostgreSQL at ${host} gave no backup: ${messageOf(error)}`, { cause: error });
  return new Error(
    `PostgreSQL at ${host} gives ${username} no replication connection (${messageOf(error)}). ` +
      `Grant it: ALTER ROLE "${username}" REPLICATION, a line "host replication ${username} … scram-sha-256" in pg_hba.conf, and max_wal_senders above 0. ` +
      "Or use that server's own backups, and run this with --without-database.",
    { cause: error },
  );
}
