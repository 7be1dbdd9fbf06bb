import { Command, Option } from 'clipanion';
import type { FindingOut } from '#contract/quality/findings.ts';
import { ApiCommand } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { agentName } from '../../project/name.ts';
import { findingLines } from '../challenge.ts';

const PAGE = 200;

export class FindingsListCommand extends ApiCommand {
  static override paths = [['findings']];
  static override usage = Command.Usage({
    description: 'list what challenges and reviews found in your agent',
    details: 'A critical one that is open keeps the agent from being published, and from upgrades of its runtime and template. Ends with 1 while one does.',
    examples: [
      ['The project in this folder', 'svc findings'],
      ['Answered ones too', 'svc findings librarian --all'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  all = Option.Boolean('--all', false, { description: 'those that were answered, too' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const output = this.output(this.json);
    const items: FindingOut[] = [];
    let frozen: string | null = null;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await this.client().findings.list({
        params: { name },
        query: { limit: PAGE, state: this.all ? 'all' : 'open', ...(cursor !== undefined && { cursor }) },
      });
      items.push(...page.items);
      [frozen, cursor] = [page.frozen_by, page.next_cursor];
    }
    if (items.length === 0) output.hint(`${name} has no ${this.all ? '' : 'open '}findings. Challenge it with: svc challenge ${name} --follow`);
    output.result({ frozen_by: frozen, items }, () => items.flatMap((finding) => findingLines(finding, output)));
    if (frozen !== null)
      output.hint(output.bad(`${name} is not published or upgraded until ${frozen} is answered: svc findings answer ${frozen} ANSWER REASON`));
    return frozen === null ? EXIT.ok : EXIT.failure;
  }
}
