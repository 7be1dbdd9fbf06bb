// Writes an unpacked project's files. Small ones a few at a time: ten thousand of them one by one would be
// ten thousand waits.
import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TarEntry } from './tar-entries.ts';

const smallBytes = 64 * 1024;
const atOnce = 16;

export class FileWriter {
  readonly #root: string;
  readonly #made = new Set<string>(['.']);
  readonly #writing = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** `path` is relative and safe. */
  async folder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(join(this.#root, path), { recursive: true });
    this.#made.add(path);
  }

  /** Reads the entry to its end; what is small may still be on its way to the disk when this resolves. */
  async file(path: string, entry: TarEntry): Promise<void> {
    await this.folder(dirname(path));
    const target = join(this.#root, path);
    // "wx" neither follows nor replaces anything; there are no links in the folder, because none are ever
    // made.
    const options = { flag: 'wx', mode: entry.executable ? 0o755 : 0o644 };
    if (entry.size > smallBytes) {
      const file = await open(target, options.flag, options.mode);
      try {
        for await (const piece of entry.body) await file.writeFile(piece);
      } finally {
        await file.close();
      }
      return;
    }
    const pieces: Buffer[] = [];
    for await (const piece of entry.body) pieces.push(piece);
    const write: Promise<void> = writeFile(target, Buffer.concat(pieces), options)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#writing.delete(write));
    this.#writing.add(write);
    if (this.#writing.size >= atOnce) await Promise.race(this.#writing);
    this.#check();
  }

  /**
   * Resolves when nothing is on its way any more; also after a failure, so that the folder can be removed for
   * good.
   */
  async settle(): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** @throws what a write failed with */
  async finish(): Promise<void> {
    await this.settle();
    this.#check();
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
