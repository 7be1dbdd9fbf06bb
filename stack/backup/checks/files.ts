// What lies beside the database: stored contents and repositories.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { StoredContent } from '#core/platform/contents/stored.ts';
import type { ListedStorage } from '#drivers/storage/port.ts';
import { errorCode } from '../../files.ts';
import { messageOf } from '../report.ts';
import { repositoriesIn } from '../repositories.ts';
import { type CheckResult, Findings } from './check.ts';

const run = promisify(execFile);
const LANES = 4;

/** Reads every object of a storage that a row names. */
export async function checkStorage(storage: ListedStorage, contents: Iterable<StoredContent>): Promise<CheckResult> {
  const findings = new Findings();
  const left = [...contents];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { key, sha256, needed } = next;
      findings.checked += 1;
      const fault = await readFault(storage, key, sha256);
      if (fault !== undefined && (needed || fault !== MISSING)) findings.add(`Object ${key}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return findings;
}

const MISSING = 'it does not exist in the storage';

async function readFault(storage: ListedStorage, key: string, sha256: string): Promise<string | undefined> {
  try {
    const hash = createHash('sha256');
    for await (const chunk of await storage.get(key)) hash.update(chunk as Buffer);
    return hash.digest('hex') === sha256 ? undefined : 'it is not what was stored: its SHA-256 is another';
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? MISSING : messageOf(error);
  }
}

/** Every object that a branch or a commit of a repository needs. */
export async function checkRepositories(root: string): Promise<CheckResult> {
  const findings = new Findings();
  for (const name of await repositoriesIn(root)) {
    findings.checked += 1;
    await run('git', ['-c', 'safe.directory=*', `--git-dir=${join(root, name)}`, 'fsck', '--no-dangling', '--no-progress'], { maxBuffer: 2 ** 24 }).catch(
      (error: unknown) => findings.add(`Repository ${name}: ${messageOf(error).trim().split('\n').at(-1)}`),
    );
  }
  return findings;
}
