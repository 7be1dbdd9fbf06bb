import { Command, Option } from 'clipanion';
import { Terminal } from '../ask/terminal.ts';
import { ApiCommand } from '../command-base.ts';
import { CliError, UsageError } from '../errors.ts';

export class DeleteCommand extends ApiCommand {
  static override paths = [['delete']];
  static override usage = Command.Usage({
    description: 'delete an agent of yours: it stops at once',
    details:
      'Deletes its secrets, the values that its callers set, and its files. Its receipts stay, and its name stays yours: svc deploy restores it. Asks for the name again, unless --yes is given.',
    examples: [
      ['Asked first', 'svc delete greeter'],
      ['In a script', 'svc delete greeter --yes'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  yes = Option.Boolean('--yes,-y', false, { description: 'do not ask' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    // 404 comes before the question.
    await client.agents.mineOne({ params: { name: this.agent } });
    if (!this.yes) await this.#confirm();
    await client.agents.delete({ params: { name: this.agent } });
    const output = this.output(this.json);
    output.note(`${this.agent} is deleted.`);
    output.result({ name: this.agent, deleted: true }, []);
    return 0;
  }

  async #confirm(): Promise<void> {
    if (!this.context.interactive) throw new UsageError(`No terminal to confirm in: give --yes to delete ${this.agent}.`);
    const terminal = new Terminal(this.context);
    try {
      const typed = await terminal.line(`Type the name to delete ${this.agent}: `);
      if (typed?.trim() !== this.agent) throw new CliError('Nothing was deleted.');
    } finally {
      terminal.close();
    }
  }
}
