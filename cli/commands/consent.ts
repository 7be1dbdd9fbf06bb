import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { table } from '../output.ts';

export class ConsentCommand extends ApiCommand {
  static override paths = [['consent']];
  static override usage = Command.Usage({
    description: 'let the owner of an agent keep your runs of it as examples, or list whom you let',
    details: 'Without AGENT it lists your consents. When you withdraw a consent, the examples kept under it are deleted.',
    examples: [
      ['Whom you let', 'svc consent'],
      ['One agent', 'svc consent librarian'],
      ['Taken back', 'svc consent librarian --withdraw'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  withdraw = Option.Boolean('--withdraw', false, { description: 'take the consent back' });
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
    const said = this.withdraw ? `The owner of ${this.agent} may keep no more of your runs.` : `The owner of ${this.agent} may keep your runs as examples.`;
    output.result({ agent: this.agent, consent: !this.withdraw }, [said]);
    return 0;
  }
}
