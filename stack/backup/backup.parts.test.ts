// Backups of a real PostgreSQL, storage and repository, while others write to them.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '#db/pool.ts';
import { contentNames } from './contents.ts';
import { keepNewest } from './keep.ts';
import { listBackups, type Manifest, readManifest } from './manifest.ts';
import { restoreBackup } from './restore.ts';
import { withScratchServer } from './scratch-server.ts';
import { takeBackup } from './take.ts';
import { openPlace, type Target, unlock, unlockFor } from './target.ts';
import { type TestInstallation, testInstallation } from './test/installation.ts';
import { verifyBackup, verifyInstallation } from './verify.ts';

const PASSPHRASE = 'a passphrase of the tests';
let i: TestInstallation;
let target: Target;
const lines: string[] = [];
const print = (line: string): void => void lines.push(line);
const signal = new AbortController().signal;
const said = (): string => lines.splice(0).join('\n');

beforeAll(async () => {
  i = await testInstallation();
  for (let n = 0; n < 5; n += 1) await i.work();
  target = await unlockFor(await openPlace(join(i.folder, 'backups'), {}, true), PASSPHRASE, i.source.installation);
});
afterAll(() => i.close());

const take = () => takeBackup(i.source, target, { print, signal, database: true });
const verify = (manifest: Manifest) => verifyBackup(target, manifest, { print, signal, scratchDir: join(i.folder, 'scratch'), cacheDir: i.source.cacheDir });

test('a backup taken while others write holds one position: everything in it verifies, and so does what runs', async () => {
  let writing = true;
  const writer = (async () => {
    let count = 0;
    for (; writing; count += 1) await i.work();
    return count;
  })();
  const { faults, ...manifest } = await take().finally(() => (writing = false));
  expect(await writer).toBeGreaterThan(0);
  expect(faults).toEqual([]);
  said();
  expect([await verify(manifest), said()]).toEqual([0, expect.stringMatching(/receipts +\d+ checked +well/)]);
  expect([await verifyInstallation(i.source, { print, signal }), said()]).toEqual([0, expect.stringMatching(/secrets +\d+ checked +well/)]);
});

test('the next backup sends little; what only removed ones needed goes with them', async () => {
  const before = await readManifest(target);
  const names = await contentNames(target);
  const { head, body } = await take();
  expect(body.objects.length).toBeGreaterThan(4);
  expect(body.objects.filter(({ chunks }) => !names.has(chunks[0] ?? '')).length).toBeLessThanOrEqual(body.objects.length - before.body.objects.length);
  // The database, what came meanwhile, and the repository.
  const expected = new Set([...(body.database?.content.chunks ?? []), ...[...body.objects, ...body.repositories].flatMap(({ chunks }) => chunks)]);
  expect([...(await contentNames(target))].filter((name) => !names.has(name) && !expected.has(name))).toEqual([]);
  const { removed, contents } = await keepNewest(target, 1);
  expect(removed).toEqual([before.head.id]);
  expect(contents).toBeGreaterThan(0);
  expect((await listBackups(target)).map(({ id }) => id)).toEqual([head.id]);
});

test('restored into an empty folder it is the same installation; a folder with data is refused', async () => {
  const manifest = await readManifest(target);
  const stateDir = join(i.folder, 'restored');
  await mkdir(stateDir, { mode: 0o711 });
  const options = { stateDir, cacheDir: i.source.cacheDir, env: {}, print, signal };
  // The latest of this program's migrations is one that the program of the backup had.
  const newer = { ...manifest, head: { ...manifest.head, release: '9.9.9' }, body: { ...manifest.body, migrations: ['9999_later.ts'] } };
  await expect(restoreBackup(target, newer, options)).rejects.toThrow('Restore it with 9.9.9 or a later version: git checkout v9.9.9');
  const other = { ...manifest, head: { ...manifest.head, postgres: 17 } };
  await expect(restoreBackup(target, other, options)).rejects.toThrow('apt install postgresql-17');
  await restoreBackup(target, manifest, options);
  for (const name of ['platform.key']) expect(await readFile(join(stateDir, 'secrets', name))).toEqual(await readFile(join(i.source.secretsDir, name)));
  const login = { user: manifest.body.database?.user ?? '', database: manifest.body.database?.name ?? '' };
  const files = await withScratchServer({ data: join(stateDir, 'postgres/data'), cacheDir: i.source.cacheDir, ...login }, async (connectionString) => {
    const db = createPool({ connectionString, max: 1 });
    return db('files').select('sha256').finally(() => db.destroy()); // prettier-ignore
  });
  expect(files.length).toBe(manifest.body.objects.length - 1);
  for (const { sha256 } of files) await expect(readFile(join(stateDir, 'storage/objects/cas', sha256.slice(0, 2), `${sha256}@`))).resolves.toBeDefined();
  await expect(restoreBackup(target, manifest, options)).rejects.toThrow(/holds data, and nothing was changed\. .*mv /);
});

test('a wrong passphrase, and a target of another installation, are refused with what to do', async () => {
  const place = await openPlace(target.name, {});
  await expect(unlock(place, 'another passphrase')).rejects.toThrow('SVC_BACKUP_PASSPHRASE is not the passphrase of the backups in');
  await expect(unlockFor(place, PASSPHRASE, 'another')).rejects.toThrow('holds backups of another installation');
  await expect(openPlace(join(i.folder, 'nothing'), {})).rejects.toThrow('There is no folder');
});
