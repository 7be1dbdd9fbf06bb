import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { shownOrigins } from './shown.ts';

export class OriginsSetCommand extends ApiCommand {
  static override paths = [['origins', 'set']];
  static override usage = Command.Usage({
    description: 'set the origins whose web pages may call your agent',
    details:
      'The list replaces the one before and holds from the next request on. Pages send no cookies: one that needs a caller sends a bearer token. Without a list, pages of every public origin call a public agent, and none calls an unlisted one. Pages of localhost and of private networks call only when they are listed.',
    examples: [
      ['A page of yours', 'svc origins set reporter https://app.example.com'],
      ['No page of another origin', 'svc origins set reporter --none'],
      ['As svc.yaml says, else the default', 'svc origins set reporter --default'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  origins = Option.Rest({ name: 'ORIGIN' });
  none = Option.Boolean('--none', false, { description: 'no page of another origin' });
  default = Option.Boolean('--default', false, { description: 'remove the list' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    if ([this.origins.length > 0, this.none, this.default].filter(Boolean).length !== 1) throw new UsageError('Give origins, --none or --default.');
    const allowed_origins = this.default ? null : this.origins;
    const set = await this.client().allowedOrigins.set({ params: { name: this.agent }, body: { allowed_origins } });
    this.output(this.json).result(set, shownOrigins(set));
    return 0;
  }
}
