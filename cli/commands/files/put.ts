import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, Option } from 'clipanion';
import { ApiError } from '#contract/client.ts';
import { LARGE_FILE_BYTES, MAX_FILE_BYTES, MAX_UPLOAD_BYTES } from '#contract/wire/limits.ts';
import type { Api } from '../../lib/api.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';
import { putLarge } from './large.ts';

const MIB = 1024 * 1024;

type Stored = Awaited<ReturnType<Api['files']['upload']>>;

export class FilesPutCommand extends ApiCommand {
  static override paths = [['files', 'put']];
  static override usage = Command.Usage({
    description: 'store a file among yours; what was at the path before is replaced',
    details: `PATH is where it goes (default: the name of the file); one that ends with "/" is a folder. FILE - is standard input, and needs a PATH. At most ${MAX_UPLOAD_BYTES / MIB} MiB; of standard input ${MAX_FILE_BYTES / MIB}. A large file is sent in parts: give the same command again within a day, and it goes on where it broke off.`,
    examples: [
      ['Under its own name', 'svc files put report.pdf'],
      ['Into a folder', 'svc files put report.pdf reports/'],
      ['Only when there is none yet', 'date | svc files put - notes/today.md --new'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  to = Option.String({ required: false, name: 'PATH' });
  new = Option.Boolean('--new', false, { description: 'only when there is no file at the path yet' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const path = this.#target();
    const content = await this.#content();
    try {
      const stored = content.size > LARGE_FILE_BYTES && this.file !== '-' ? await this.#inParts(path, content) : await this.#atOnce(path, content);
      this.output(this.json).result(stored, [stored.path]);
      return 0;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412)
        throw new CliError(`${path} is there already: leave --new out to replace it.`, undefined, { cause: error });
      throw error;
    }
  }

  #atOnce(path: string, content: Blob): Promise<Stored> {
    const body = new FormData();
    body.set('path', path);
    body.set('file', content, basename(path));
    return this.client().files.upload({ body, headers: this.new ? { 'if-none-match': '*' } : {} });
  }

  async #inParts(path: string, blob: Blob): Promise<Stored> {
    const output = this.output(this.json);
    const onReceived = (bytes: number): void => output.note(`${(bytes / MIB).toFixed(0)} of ${(blob.size / MIB).toFixed(0)} MiB`);
    await putLarge(this.client(), { file: this.file, blob, path, onlyNew: this.new, onReceived });
    const { items } = await this.client().files.list({ query: { prefix: path, limit: 1 } });
    const [stored] = items;
    if (!stored) throw new CliError(`${path} was stored, and is gone again.`);
    return stored;
  }

  #target(): string {
    if (this.to !== undefined && !this.to.endsWith('/')) return this.to;
    if (this.file === '-') throw new UsageError('Standard input has no name: give the PATH, e.g. svc files put - notes/today.md');
    return `${this.to ?? ''}${basename(this.file)}`;
  }

  async #content(): Promise<Blob> {
    if (this.file === '-') return new Blob([new Uint8Array(await buffer(this.context.stdin))]);
    const stats = await stat(this.file).catch(() => undefined);
    if (stats?.isDirectory()) throw new UsageError(`${this.file} is a folder: store its files one by one.`);
    if (!stats?.isFile()) throw new UsageError(`${this.file} cannot be read.`);
    const blob = await openAsBlob(this.file);
    if (blob.size > MAX_UPLOAD_BYTES) throw new CliError(`${this.file} is larger than ${MAX_UPLOAD_BYTES / MIB} MiB.`);
    return blob;
  }
}
