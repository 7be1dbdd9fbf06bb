// What goes wrong with a backup: it is cut off, its disk is full, something in it is missing or was changed.
// starts: stack/main.ts
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListedStorage } from '#drivers/storage/port.ts';
import { startTestS3, type TestS3 } from '#test/support/s3-server.ts';
import { compileCache } from '#test/support/compile-cache.ts';
import { listBackups, type Manifest, readManifest } from './manifest.ts';
import { takeBackup } from './take.ts';
import { openPlace, type Place, type Target, unlock, unlockFor } from './target.ts';
import { type TestInstallation, testInstallation } from './test/installation.ts';
import { verifyBackup } from './verify.ts';

const PASSPHRASE = 'a passphrase of the tests';
let i: TestInstallation;
let whole: Target;
let manifest: Manifest;
const lines: string[] = [];
const print = (line: string): void => void lines.push(line);
const said = (): string => lines.splice(0).join('\n');
const running = new AbortController().signal;

const take = (target: Target, signal = running) => takeBackup(i.source, target, { print, signal, database: true });
const verify = (target: Target, of: Manifest) =>
  verifyBackup(target, of, { print, signal: running, scratchDir: join(i.folder, 'scratch'), cacheDir: i.source.cacheDir });
const open = async (name: string): Promise<Target> => unlockFor(await openPlace(join(i.folder, name), {}, true), PASSPHRASE, i.source.installation);

beforeAll(async () => {
  i = await testInstallation();
  for (let n = 0; n < 3; n += 1) await i.work();
  whole = await open('whole');
  manifest = await take(whole);
});
afterAll(() => i.close());

/** A storage whose uploads fail from one on. */
function cutOff(target: Target, at: (key: string, before: number) => boolean): Target {
  let puts = 0;
  let cut = false;
  const put: ListedStorage['put'] = async (key, body) => {
    cut ||= at(key, puts);
    puts += 1;
    if (cut) throw new Error('the connection was cut off');
    return target.storage.put(key, body);
  };
  return { ...target, storage: { ...target.storage, put } };
}

test('cut off at ten points it is never taken for a backup, and the next one is whole', async () => {
  const cut = await open('cut');
  const points = Array.from({ length: 7 }, (_, point) => (_key: string, before: number) => before === point);
  const files = [/\/keys$/, /\/manifest\.json$/].map((file) => (key: string) => file.test(key));
  for (const point of [...points, ...files]) {
    await expect(take(cutOff(cut, point))).rejects.toThrow('the connection was cut off');
    expect(await listBackups(cut)).toEqual([]);
  }
  const stop = new AbortController();
  const interrupted = takeBackup(i.source, cut, { database: true, signal: stop.signal, print: () => stop.abort() });
  await expect(interrupted).rejects.toThrow();
  await expect(readManifest(cut)).rejects.toThrow('holds no finished backup. Make one: npm run backup -- --to');
  const taken = await take(cut);
  said();
  expect([await verify(cut, taken), said()]).toEqual([0, expect.stringContaining('well')]);
});

describe('of a backup that was damaged afterwards', () => {
  const damaged = async (name: string, damage: (file: (key: string) => string) => Promise<void>): Promise<Target> => {
    await cp(join(i.folder, 'whole'), join(i.folder, name), { recursive: true });
    await damage((key) => join(i.folder, name, 'objects', `${key}@`));
    return unlock(await openPlace(join(i.folder, name), {}), PASSPHRASE);
  };
  const chunkOf = (chunks: string[] | undefined): string => `content/${chunks?.[0]?.slice(0, 2)}/${chunks?.[0]}`;

  test('a content that is missing or was changed is named, and the rest is checked', async () => {
    const [one, other] = manifest.body.objects;
    const target = await damaged('content', async (file) => {
      await rm(file(chunkOf(one?.chunks)));
      await copyFile(file(chunkOf(manifest.body.repositories[0]?.chunks)), file(chunkOf(other?.chunks)));
    });
    said();
    expect(await verify(target, manifest)).toBe(2);
    expect(said()).toMatch(/is missing[^]*was changed[^]*receipts +\d+ checked +well/);
  });

  test('a database that was changed is said, and not started', async () => {
    const target = await damaged('database', (file) => truncate(file(chunkOf(manifest.body.database?.content.chunks)), 1_000));
    said();
    expect(await verify(target, manifest)).toBe(1);
    expect(said()).toContain('The database cannot be unpacked: content/');
  });

  test('keys that are missing, were changed or are of another backup are refused; so is a changed manifest', async () => {
    const { id } = manifest.head;
    const keys = `backups/${id}/keys`;
    await expect(verify(await damaged('no-keys', (file) => rm(file(keys))), manifest)).rejects.toThrow(`${keys} is missing`);
    const later = await take(whole);
    const swapped = await damaged('swapped', (file) => copyFile(file(`backups/${later.head.id}/keys`), file(keys)));
    await expect(verify(swapped, manifest)).rejects.toThrow('was changed, or is of another backup');
    const path = `backups/${id}/manifest.json`;
    const forged = await damaged('forged', async (file) => {
      await writeFile(file(path), (await readFile(file(path), 'utf8')).replace('"postgres":18', '"postgres":17'));
    });
    await expect(readManifest(forged, id)).rejects.toThrow(`The manifest of ${id} was changed, so nothing of it is used.`);
    // With the key of another installation inside, what is encrypted in the database would stay closed.
    const foreign = { ...manifest, body: { ...manifest.body, installation: 'another' } };
    await expect(verify(whole, foreign)).rejects.toThrow('holds the key of another installation');
  });
});

test('a stored content that is missing or was changed is named, and the backup holds the rest', async () => {
  const sha256 = await i.work();
  const other = await i.work();
  const file = (of: string): string => join(i.source.stateDir, 'storage/objects/cas', of.slice(0, 2), `${of}@`);
  const [before, changed] = [await readFile(file(sha256)), await readFile(file(other))];
  await rm(file(sha256));
  await writeFile(file(other), 'something else');
  const { faults, head } = await take(whole);
  expect(faults.toSorted()).toEqual([expect.stringContaining('does not exist'), expect.stringContaining('is not what was stored')].toSorted());
  expect((await listBackups(whole)).at(-1)?.id).toBe(head.id);
  said();
  expect(await verify(whole, await readManifest(whole, head.id))).toBe(2);
  expect(said()).toContain('is named by the database and is not in the backup: look for it in an earlier one');
  await writeFile(file(sha256), before);
  await writeFile(file(other), changed);
});

test('a full disk is said with what to do, and leaves no backup', async () => {
  const { databaseUrl, stateDir } = i.source;
  const folder = join(i.folder, 'small');
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: compileCache(),
    SVC_STATE_DIR: stateDir,
    DATABASE_URL: databaseUrl,
    SVC_BACKUP_PASSPHRASE: PASSPHRASE,
  };
  // A small disk that only this command sees.
  const script =
    'mkdir -p "$0" && mount -t tmpfs -o size=2m tmpfs "$0" && "$1" "$2" backup --to "$0"; code=$?; ls "$0/objects/backups" 2>/dev/null; exit $code';
  const main = join(import.meta.dirname, '../main.ts');
  const child = spawn('unshare', ['-m', 'sh', '-c', script, folder, process.execPath, main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([code, err]).toEqual([1, expect.stringContaining('The disk of the backups is full. Free some space, or keep fewer of them (--keep N)')]);
  expect(out).not.toMatch(/T?z-[0-9a-f]{4}/);
  expect(await readdir(stateDir)).toContain('last-backup.json');
});

describe('in a bucket of S3', () => {
  let server: TestS3;
  let place: Place;
  beforeAll(async () => {
    server = await startTestS3();
    const { endpoint, credentials } = server;
    const env = { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: credentials.accessKeyId, S3_SECRET_ACCESS_KEY: credentials.secretAccessKey };
    place = await openPlace(`s3://${await server.bucket()}/some/prefix`, env, true);
  });
  afterAll(async () => {
    place.close();
    await server.close();
  });

  test('it is taken, listed and verified the same', async () => {
    const target = await unlockFor(place, PASSPHRASE, i.source.installation);
    const taken = await take(target);
    expect(await listBackups(place)).toEqual([taken.head]);
    said();
    expect([await verify(target, await readManifest(target)), said()]).toEqual([0, expect.stringContaining('well')]);
  });
});
