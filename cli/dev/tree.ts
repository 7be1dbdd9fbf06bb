// A folder as the sync sees it: each file's hash, mode and time, without what the ignore files leave out of
// deploys.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { listSource } from '../deploy/pack.ts';
import { secretOf, type Secret, secretsRefused } from '../deploy/secrets.ts';

export const FileFacts = z.object({
  /** Of its content, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  executable: z.boolean(),
  size: z.int().min(0),
  /** Milliseconds since the epoch, by the clock of the machine that says it. */
  mtime: z.number(),
});
export type FileFacts = z.infer<typeof FileFacts>;

/** By path: relative, forward slashes. */
export type Tree = ReadonlyMap<string, FileFacts>;
/** What both sides had when they last agreed: the hash, and `+x` where it may be executed. */
export type Base = ReadonlyMap<string, string>;

const MAX_FILES = 20_000;
export const MAX_FILE_BYTES = 64 * 1_048_576;
const MAX_BYTES = 512 * 1_048_576;

export function markOf({ sha256, executable }: Pick<FileFacts, 'sha256' | 'executable'>): string {
  return executable ? `${sha256}+x` : sha256;
}

interface Seen {
  stamp: string;
  facts: FileFacts;
  secret: string | undefined;
}

/** Reads a folder again and again; a file whose size and times are as before is not read again. */
export class Scanner {
  readonly folder: string;
  readonly #refuseSecrets: boolean;
  #seen = new Map<string, Seen>();

  /** @param refuseSecrets where what is scanned is to leave this machine */
  constructor(folder: string, { refuseSecrets = false }: { refuseSecrets?: boolean } = {}) {
    this.folder = folder;
    this.#refuseSecrets = refuseSecrets;
  }

  /** @throws TooMuch, and CliError that names what looks like a secret */
  async scan(): Promise<Map<string, FileFacts>> {
    const { files } = await listSource(this.folder);
    if (files.length > MAX_FILES)
      throw new TooMuch(`The project has more than ${MAX_FILES} files: name what does not belong to it in .gitignore or .svcignore.`);
    const seen = new Map<string, Seen>();
    const tree = new Map<string, FileFacts>();
    const secrets: Secret[] = [];
    let bytes = 0;
    for (const path of files) {
      const scannedFile = await this.#look(path);
      if (scannedFile === undefined) continue;
      seen.set(path, scannedFile);
      tree.set(path, scannedFile.facts);
      if (scannedFile.secret !== undefined) secrets.push({ path, kind: scannedFile.secret });
      bytes += scannedFile.facts.size;
      if (scannedFile.facts.size > MAX_FILE_BYTES)
        throw new TooMuch(`${path} has more than ${MAX_FILE_BYTES / 1_048_576} MiB: name it in .gitignore or .svcignore.`);
      if (bytes > MAX_BYTES)
        throw new TooMuch(`The project has more than ${MAX_BYTES / 1_048_576} MiB: name what does not belong to it in .gitignore or .svcignore.`);
    }
    this.#seen = seen;
    if (secrets.length > 0) throw secretsRefused(secrets);
    return tree;
  }

  /** Undefined: it is gone by now, or changes while it is read; the next scan sees it. */
  async #look(path: string): Promise<Seen | undefined> {
    const file = join(this.folder, path);
    try {
      const about = await stat(file, { bigint: true });
      const stamp = `${about.ino}:${about.size}:${about.mtimeNs}:${about.ctimeNs}:${about.mode}`;
      const before = this.#seen.get(path);
      if (before?.stamp === stamp) return before;
      const content = await readFile(file);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const secret = this.#refuseSecrets ? await secretOf(this.folder, path, content) : undefined;
      return { stamp, secret, facts: { sha256, executable: (about.mode & 0o100n) !== 0n, size: content.length, mtime: Number(about.mtimeMs) } };
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

export class TooMuch extends Error {}
