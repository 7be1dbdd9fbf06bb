import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';

export class PayoutsStatementCommand extends ApiCommand {
  static override paths = [['payouts', 'statement']];
  static override usage = Command.Usage({
    description: 'save the signed statement of a run that paid you, receipt by receipt',
    details: 'The file has a JSON value on each line: first the signed summary, then the lines. Check it with svc payouts verify.',
    examples: [['With its receipts', 'svc payouts statement por_… --out statement.json --receipts receipts.json']],
  });

  run = Option.String({ name: 'RUN' });
  out = Option.String('--out,-o', 'statement.json', { description: 'file to write' });
  receipts = Option.String('--receipts', { description: 'file to write the receipts to' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { save } = await import('../../payouts/statement-file.ts');
    const { payouts } = this.client();
    const params = { run_id: this.run };
    await save(await payouts.statement({ params }), this.out);
    if (this.receipts !== undefined) await save(await payouts.receipts({ params }), this.receipts);
    const output = this.output(this.json);
    output.result({ statement: this.out, receipts: this.receipts ?? null }, [this.out]);
    output.hint(`Check it with: svc payouts verify ${this.out}${this.receipts === undefined ? '' : ` --receipts ${this.receipts}`}`);
    return 0;
  }
}
