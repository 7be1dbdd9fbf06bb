import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError, UsageError } from '../../lib/errors.ts';

export class FilesGetCommand extends ApiCommand {
  static override paths = [['files', 'get']];
  static override usage = Command.Usage({
    description: 'fetch one of your files',
    details:
      'The file is written to TO (a file or a folder), or into this folder under its own name; - is standard output. An existing file is kept, unless --force is given.',
    examples: [
      ['Into this folder', 'svc files get notes/today.md'],
      ['To look at it', 'svc files get notes/today.md -'],
    ],
  });

  file = Option.String({ name: 'PATH' });
  to = Option.String({ required: false, name: 'TO' });
  force = Option.Boolean('--force,-f', false, { description: 'replace what is there' });
  json = Option.Boolean('--json', false, { description: 'print JSON; not with -, which is the content itself' });

  async execute(): Promise<number> {
    if (this.to === '-') {
      if (this.json) throw new UsageError('- is the content itself: leave --json out, or give a file to write to.');
      await this.#fetch(this.context.stdout, false);
      return 0;
    }
    const name = basename(this.file);
    const isFolder = this.to !== undefined && (this.to.endsWith('/') || (existsSync(this.to) && statSync(this.to).isDirectory()));
    const file = this.to === undefined ? name : isFolder ? join(this.to, name) : this.to;
    if (!this.force && existsSync(file)) throw new CliError(`${file} is there already: give another name, or --force to replace it.`);
    // Written beside, then renamed: a broken download leaves no half a file.
    const draft = `${file}.${randomUUID()}.tmp`;
    try {
      await this.#fetch((await created(draft)).createWriteStream(), true);
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    this.output(this.json).result({ path: this.file, file }, [file]);
    return 0;
  }

  async #fetch(to: Writable, ends: boolean): Promise<void> {
    const response = await this.client().files.get({ params: { path: this.file } });
    const hash = createHash('sha256');
    if (response.body) {
      await pipeline(
        Readable.fromWeb(response.body),
        async function* (chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            hash.update(chunk);
            yield chunk;
          }
        },
        to,
        { end: ends },
      );
    }
    const tag = response.headers.get('etag');
    if (tag !== null && tag !== `"${hash.digest('hex')}"`) throw new CliError(`${this.file} did not arrive whole. Try again.`);
  }
}

/** Before anything is fetched. */
async function created(draft: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx');
  } catch (error) {
    const why = error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'is no folder here: make it first' : 'cannot be written to';
    throw new CliError(`${dirname(draft)} ${why}.`, undefined, { cause: error });
  }
}
