// Restores a backup into a scratch folder and looks whether all of it is there and fits together.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { storedContents } from '#core/platform/contents/stored.ts';
import { createPool } from '#db/pool.ts';
import type { Vault } from '#drivers/vault/port.ts';
import { type CheckResult, Findings } from './checks/check.ts';
import { checkRepositories, checkStorage } from './checks/files.ts';
import { checkReceipts } from './checks/receipts.ts';
import { checkLedger, checkSecrets, checkWaits } from './checks/rows.ts';
import { ContentDamaged, readContent } from './contents.ts';
import { restoreFolder } from './folder.ts';
import type { Manifest, NamedContent } from './manifest.ts';
import { countOf, lineOf, messageOf, timeOf } from './report.ts';
import { giveToPostgres, withScratchServer } from './scratch-server.ts';
import { restoreSecrets } from './secrets.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

export interface VerifyOptions {
  print(line: string): void;
  signal: AbortSignal;
  /** Takes as much room as the installation, for the time of the check. */
  scratchDir: string;
  cacheDir: string;
}

/** Resolves with the number of faults, which were printed. */
export async function verifyBackup(target: Target, manifest: Manifest, { print, signal, scratchDir, cacheDir }: VerifyOptions): Promise<number> {
  await mkdir(scratchDir, { recursive: true, mode: 0o711 });
  const folder = await mkdtemp(join(scratchDir, 'verify-'));
  await chmod(folder, 0o711);
  const { body } = manifest;
  const checks = checker(print, signal);
  try {
    const vault = await restoreSecrets(target, manifest, join(folder, 'secrets'));
    await checks.run('contents', () => readAll(target, [...body.objects, ...body.images, ...body.memory, ...body.boxes]));
    await checks.run('repositories', async () => {
      const read = await unpackAll(target, body.repositories, join(folder, 'git'));
      return read.faultCount > 0 ? read : checkRepositories(join(folder, 'git'));
    });
    const { database } = body;
    if (database === null) print(lineOf('database', 'not in this backup'));
    else {
      const data = join(folder, 'postgres', 'data');
      const unpacked = await checks.run('database', async () => {
        const findings = new Findings();
        findings.checked = 1;
        await mkdir(join(folder, 'postgres'), { mode: 0o711 });
        await restoreFolder(readContent(target, database.content), data).catch((error: unknown) =>
          findings.add(`The database cannot be unpacked: ${messageOf(error)}`),
        );
        return findings;
      });
      if (unpacked) {
        await giveToPostgres(join(folder, 'postgres'));
        await withScratchServer({ data, cacheDir, user: database.user, database: database.name }, (url) =>
          withPool(url, (db) => checkRows(db, vault, manifest, checks)),
        );
      }
    }
    for (const note of body.notes) print(note);
    return checks.faults();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same of an installation that runs. */
export async function verifyInstallation(source: Source, { print, signal }: Pick<VerifyOptions, 'print' | 'signal'>): Promise<number> {
  const checks = checker(print, signal);
  await withPool(source.databaseUrl, async (db) => {
    await checks.run('contents', async () => checkStorage(source.storage, (await storedContents(db)).values()));
    await checks.run('repositories', () => checkRepositories(join(source.stateDir, 'git')));
    await checkDatabase(db, source.vault, checks);
    await checks.run('waits', () => checkWaits(db));
  });
  return checks.faults();
}

async function checkRows(db: Knex, vault: Vault, { body }: Manifest, checks: Checker): Promise<void> {
  await checks.run('rows → contents', async () => {
    const findings = new Findings();
    const there = new Map(body.objects.map(({ name, sha256 }) => [name, sha256]));
    for (const { key, sha256, needed } of (await storedContents(db)).values()) {
      findings.checked += 1;
      if (needed && !body.gone.includes(key) && there.get(key) !== sha256)
        findings.add(`Object ${key} is named by the database and is not in the backup: look for it in an earlier one`);
    }
    return findings;
  });
  await checkDatabase(db, vault, checks);
  await checks.run('waits', async () => {
    const waits = await checkWaits(db, body.memory.map(({ name }) => name)); // prettier-ignore
    const notes = waits.withoutMemory > 0 ? [`${waits.withoutMemory} without memory: their runs end with host_lost`] : [];
    return { ...waits, notes };
  });
}

async function checkDatabase(db: Knex, vault: Vault, checks: Checker): Promise<void> {
  await checks.run('receipts', () => checkReceipts(db));
  await checks.run('ledger', () => checkLedger(db));
  await checks.run('secrets', () => checkSecrets(db, vault));
}

async function readAll(target: Target, all: readonly NamedContent[]): Promise<CheckResult> {
  const findings = new Findings();
  for (const content of all) {
    findings.checked += 1;
    try {
      for await (const _ of readContent(target, content));
    } catch (error) {
      if (!(error instanceof ContentDamaged)) throw error;
      findings.add(`${content.name}: ${error.message}`);
    }
  }
  return findings;
}

async function unpackAll(target: Target, all: readonly NamedContent[], root: string): Promise<CheckResult> {
  const findings = new Findings();
  for (const content of all) {
    findings.checked += 1;
    await restoreFolder(readContent(target, content), join(root, content.name)).catch((error: unknown) =>
      findings.add(`Repository ${content.name}: ${messageOf(error)}`),
    );
  }
  return findings;
}

interface Checker {
  /** Answers whether all is well. */
  run(name: string, check: () => Promise<CheckResult & { notes?: string[] }>): Promise<boolean>;
  faults(): number;
}

function checker(print: (line: string) => void, signal: AbortSignal): Checker {
  let faults = 0;
  return {
    async run(name, check) {
      signal.throwIfAborted();
      const begun = performance.now();
      const { checked, faults: shown, faultCount, notes = [] } = await check();
      print(
        lineOf(name, `${countOf(checked, 'checked', 'checked')}`, faultCount === 0 ? 'well' : countOf(faultCount, 'fault'), timeOf(performance.now() - begun)),
      );
      for (const note of notes) print(`  ${note}`);
      for (const fault of shown) print(`  ${fault}`);
      if (faultCount > shown.length) print(`  and ${faultCount - shown.length} more`);
      faults += faultCount;
      return faultCount === 0;
    },
    faults: () => faults,
  };
}

async function withPool<T>(connectionString: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = createPool({ connectionString, max: 2, applicationName: 'svc-verify' });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
