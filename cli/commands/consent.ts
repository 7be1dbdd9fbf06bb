import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { table } from '../output.ts';

export class ConsentCommand extends ApiCommand {
  static override paths = [['consent']];
  static override usage = Command.Usage({
    description: "allow an agent's owner to keep your runs as examples; list permissions",
    details: 'Without AGENT it lists your consents. When you withdraw a consent, the examples kept under it are deleted.',
    examples: [
      ['List your permissions', 'svc consent'],
      ['Allow one agent', 'svc consent librarian'],
      ['Withdraw the permission', 'svc consent librarian --withdraw'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  withdraw = Option.Boolean('--withdraw', false, { description: 'withdraw the consent' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const api = this.evaluations();
    const output = this.output(this.json);
    if (this.agent === undefined) {
      const { items } = await api.consents();
      if (items.length === 0) output.note('No owner may keep your runs.');
      output.result(items, () => (items.length === 0 ? [] : table(['AGENT', 'SINCE'], items.map(({ agent, created_at }) => [agent, created_at.slice(0, 10)])))); // prettier-ignore
      return 0;
    }
    const params = { agent: this.agent };
    if (this.withdraw) await api.withdrawConsent({ params });
    else await api.consent({ params });
    const said = this.withdraw ? `The owner of ${this.agent} may no longer keep your runs.` : `The owner of ${this.agent} may keep your runs as examples.`;
    output.result({ agent: this.agent, consent: !this.withdraw }, [said]);
    return 0;
  }
}
