import { Command, Option } from 'clipanion';
import type { Api } from '../../api.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

const PAGE = 1_000;

export class FilesListCommand extends ApiCommand {
  static override paths = [['files', 'list']];
  static override usage = Command.Usage({
    description: 'list your files, by path',
    examples: [
      ['All', 'svc files list'],
      ['One folder', 'svc files list notes/'],
    ],
  });

  prefix = Option.String({ required: false, name: 'PREFIX' });
  limit = Option.String('--limit,-n', '1000', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 100_000 });
    const client = this.client();
    const items: Awaited<ReturnType<Api['files']['list']>>['items'] = [];
    let cursor: string | null | undefined;
    do {
      const query = {
        limit: Math.min(PAGE, limit - items.length),
        ...(cursor ? { cursor } : {}),
        ...(this.prefix === undefined ? {} : { prefix: this.prefix }),
      };
      const page = await client.files.list({ query });
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor && items.length < limit);
    const output = this.output(this.json);
    if (items.length === 0) output.hint(`No files${this.prefix === undefined ? '' : ` below ${this.prefix}`}. Store one with: svc files put FILE`);
    else if (cursor) output.note(`There are more: --limit ${limit * 10}`);
    output.result(items, () => {
      if (items.length === 0) return [];
      const rows = items.map(({ path, file_type: type, size_bytes: bytes, updated_at: at }) => [
        plain(path),
        type,
        String(bytes),
        at.slice(0, 19).replace('T', ' '),
      ]);
      return table(['PATH', 'TYPE', 'BYTES', 'CHANGED (UTC)'], rows);
    });
    return 0;
  }
}
