import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { plain, table } from '../../output.ts';

export class FilesSharesCommand extends ApiCommand {
  static override paths = [['files', 'shares']];
  static override usage = Command.Usage({
    description: 'list what you have let agents see, newest first',
    examples: [['The ten newest', 'svc files shares --limit 10']],
  });

  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().grants.list({ query: { limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('You have shared nothing. Share with: svc files share AGENT "notes/**"');
    output.result(items, () => {
      if (items.length === 0) return [];
      const rows = items.map(({ grant_id: id, audience, state, mode, allow_patterns: allowed, outputs_prefix: prefix, expires_at: until }) => [
        id,
        audience,
        state,
        plain(allowed.join(', ')).slice(0, 50),
        mode === 'read_only' ? 'no' : (prefix ?? 'yes'),
        until.slice(0, 19).replace('T', ' '),
      ]);
      return table(['GRANT', 'AGENT', 'STATE', 'MAY SEE', 'MAY WRITE', 'UNTIL (UTC)'], rows);
    });
    return 0;
  }
}
