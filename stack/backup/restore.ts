// Restores a backup into an empty state folder. All of it is written beside its place and moved there at the
// end: one that is cut off before leaves nothing, one that is cut off while it moves is continued.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { knownMigrations } from '#db/migrate.ts';
import { VERSION } from '#version.ts';
import { MAJOR } from '../postgres-server.ts';
import { readContent } from './contents.ts';
import { writeContent } from './files.ts';
import { restoreFolder } from './folder.ts';
import { draftOf, halfRestored, movingMark } from './half.ts';
import type { Manifest } from './manifest.ts';
import { restoreMachines, settleMachines } from './restore-machines.ts';
import { countOf, sizeOf, stepper } from './report.ts';
import { giveToPostgres } from './scratch-server.ts';
import { restoreSecrets } from './secrets.ts';
import { openFiles } from './source.ts';
import type { Target } from './target.ts';

const run = promisify(execFile);

export interface RestoreOptions {
  stateDir: string;
  cacheDir: string;
  /** Where STORAGE_URL is set, contents go there. */
  env: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
  signal: AbortSignal;
}

/** What a restore brings; `postgres` last, without which nothing starts. */
const PLACES = ['secrets', 'storage', 'git', 'box', 'vm', 'postgres'];
const LAYERS = 'image';
export async function restoreBackup(target: Target, manifest: Manifest, options: RestoreOptions): Promise<void> {
  const { stateDir, print } = options;
  const draft = draftOf(stateDir);
  if (halfRestored(stateDir) === undefined) {
    await requireEmpty(stateDir);
    await requireFit(manifest, options);
    await rm(draft, { recursive: true, force: true });
    try {
      await write(target, manifest, { ...options, draft });
      await run('sync', ['-f', draft]);
      options.signal.throwIfAborted();
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
    await writeFile(movingMark(stateDir), '', { flush: true });
  } else print('A restore was cut off before: it goes on.');
  await move(draft, stateDir);
  await settleMachines(join(stateDir, 'vm'));
  await rm(draft, { recursive: true, force: true });
}

async function write(target: Target, manifest: Manifest, { draft, stateDir, cacheDir, env, print, signal }: RestoreOptions & { draft: string }): Promise<void> {
  const { body } = manifest;
  const step = stepper(print);
  await mkdir(draft, { recursive: true, mode: 0o711 });
  await restoreSecrets(target, manifest, join(draft, 'secrets'));
  const { database } = body;
  if (database) {
    await step('database', async () => {
      await mkdir(join(draft, 'postgres'), { mode: 0o711 });
      await restoreFolder(readContent(target, database.content), join(draft, 'postgres', 'data'));
      await chmod(join(draft, 'postgres', 'data'), 0o700);
      await giveToPostgres(join(draft, 'postgres'));
    }, () => ['PostgreSQL', sizeOf(database.content.bytes)]); // prettier-ignore
    signal.throwIfAborted();
  }
  const storage = await openFiles(env, join(draft, 'storage'), join(draft, 'scratch'));
  await step('contents', async () => {
    for (const object of body.objects) {
      signal.throwIfAborted();
      if ((await storage.size(object.name)) !== object.bytes) await storage.put(object.name, Readable.from(readContent(target, object), { objectMode: false }));
    }
  }, () => [countOf(body.objects.length, 'object')]); // prettier-ignore
  await step('repositories', async () => {
    await mkdir(join(draft, 'git'), { mode: 0o700 });
    for (const one of body.repositories) await restoreFolder(readContent(target, one), join(draft, 'git', one.name));
  }, () => [countOf(body.repositories.length, 'repository', 'repositories')]); // prettier-ignore
  await mkdir(join(draft, LAYERS), { mode: 0o711 });
  for (const layer of body.images.filter(({ name }) => name.startsWith(join(body.state_dir, 'image/'))))
    await writeContent(readContent(target, layer), join(draft, LAYERS, basename(layer.name)));
  for (const box of body.boxes) await restoreFolder(readContent(target, box), join(draft, 'box', box.name));
  signal.throwIfAborted();
  const leftOut = await step(
    'machines',
    () => restoreMachines(target, body, { draft, stateDir, cacheDir }),
    (out) => [countOf(body.memory.length - out.length, 'machine')],
  );
  for (const sentence of leftOut) print(sentence);
}

/** A place that set-up made and nobody used gives way; layers may be there already, and are the same. */
async function move(draft: string, stateDir: string): Promise<void> {
  await mkdir(join(stateDir, LAYERS), { recursive: true, mode: 0o711 });
  for (const file of await readdir(join(draft, LAYERS)).catch(() => [])) await rename(join(draft, LAYERS, file), join(stateDir, LAYERS, file));
  for (const name of PLACES) {
    if (!existsSync(join(draft, name))) continue;
    await rmdir(join(stateDir, name)).catch(() => undefined);
    await rename(join(draft, name), join(stateDir, name));
  }
}

async function requireEmpty(stateDir: string): Promise<void> {
  for (const place of [...PLACES, 'temporal']) {
    const names = await readdir(join(stateDir, place)).catch(() => []);
    if (names.length > 0)
      throw new Error(
        `${join(stateDir, place)} holds data, and nothing was changed. Restore into an empty folder (SVC_STATE_DIR), or move this one away first: mv ${stateDir} ${stateDir}.before`,
      );
  }
}

async function requireFit({ head, body }: Manifest, { stateDir, env }: RestoreOptions): Promise<void> {
  const known = await knownMigrations();
  const unknown = body.migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `This backup was made by svc ${head.release}, and this is ${VERSION}, which does not know ${unknown.join(', ')}. Restore it with ${head.release} or a later version: git checkout v${head.release}`,
    );
  if (head.postgres !== null && String(head.postgres) !== MAJOR && !existsSync(`/usr/lib/postgresql/${head.postgres}/bin/postgres`))
    throw new Error(`The database in this backup is of PostgreSQL ${head.postgres}. Install that server first: apt install postgresql-${head.postgres}`);
  if (body.database !== null && env['DATABASE_URL'])
    throw new Error(
      'DATABASE_URL is set, and this backup holds a whole PostgreSQL server. Unset it for the restore; the data come to lie in the state folder.',
    );
  const { bavail, bsize } = await statfs(stateDir);
  if (bavail * bsize < head.bytes * 1.1)
    throw new Error(
      `The restore needs ${sizeOf(head.bytes * 1.1)}, and the disk of ${stateDir} has ${sizeOf(bavail * bsize)}. Free some space, or set SVC_STATE_DIR to a larger disk.`,
    );
}
