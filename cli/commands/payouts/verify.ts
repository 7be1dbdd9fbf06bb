import { Command, Option } from 'clipanion';
import { StatementInvalid } from '#contract/wire/statement.ts';
import type { StatementTools, StatementVerdict } from '#contract/wire/statement-check.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain } from '../../lib/output.ts';
import { signedDollars } from '../../lib/dollars.ts';

export class PayoutsVerifyCommand extends ApiCommand {
  static override paths = [['payouts', 'verify']];
  static override usage = Command.Usage({
    description: 'check a payout statement: its signature, its lines, their sum, and the receipts that it names',
    details:
      'FILE is the output of svc payouts statement, or of svc payouts inclusion for one line. With --receipts, each receipt is compared with its line, too. With --keys nothing is fetched. Ends with 0 when everything holds, with 1 otherwise.',
    examples: [
      ['With the published keys', 'svc payouts verify statement.json'],
      ['Offline, with every receipt', 'svc payouts verify statement.json --receipts receipts.json --keys keys.json'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  receipts = Option.String('--receipts', { description: 'file with the receipts (svc payouts statement RUN --receipts FILE)' });
  keys = Option.String('--keys', { description: 'file with the published keys, as /v1/public/receipt-keys answers them' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    try {
      const { payload, faults } = await this.#check();
      const holds = faults.length === 0;
      const about = `${payload.statement_id} of run ${payload.run_id}: ${signedDollars(payload.paid_micros)} to ${payload.account}, ${payload.lines} lines`;
      const beside =
        this.receipts === undefined ? 'Receipts were not given: --receipts FILE holds them against the lines.' : 'Each receipt is the one that its line names.';
      output.result({ valid: holds, statement: payload, receipts_checked: this.receipts !== undefined, faults }, () =>
        holds ? [output.good(`Valid: ${plain(about)}`), beside] : [output.bad(`Not valid: ${plain(about)}`), ...faults.map((fault) => `- ${plain(fault)}`)],
      );
      return holds ? EXIT.ok : EXIT.failure;
    } catch (error) {
      if (!(error instanceof StatementInvalid)) throw error;
      output.result({ valid: false, statement: null, receipts_checked: false, faults: [error.message] }, [output.bad(`Not valid: ${plain(error.message)}`)]);
      return EXIT.failure;
    }
  }

  async #check(): Promise<StatementVerdict> {
    const { keysInFile } = await import('../../proof/source.ts');
    const { checkInclusion, checkStatement } = await import('#contract/wire/statement-check.ts');
    const { keyRing, sha256, verifySignature } = await import('../../payouts/signature.ts');
    const { inclusionIn, linesOf } = await import('../../payouts/statement-file.ts');
    const { receiptFault, receiptsInFile } = await import('../../payouts/receipts.ts');
    const keyOf = keyRing(this.keys === undefined ? (await this.anonymous().public.receiptKeys()).keys : await keysInFile(this.keys));
    const receipts = this.receipts === undefined ? undefined : receiptsInFile(this.receipts);
    const onLine: StatementTools['onLine'] = receipts && ((line, payload) => receiptFault(line, payload, { receipts, keyOf }));
    const tools: StatementTools = { hash: sha256, verify: verifySignature, keyOf, ...(onLine && { onLine }) };
    const inclusion = await inclusionIn(this.file);
    return inclusion ? checkInclusion(inclusion, tools) : checkStatement(await linesOf(this.file), tools);
  }
}

export class PayoutsInclusionCommand extends ApiCommand {
  static override paths = [['payouts', 'inclusion']];
  static override usage = Command.Usage({
    description: 'print a proof that one receipt is in a payout statement, without the other lines',
    examples: [['One receipt', 'svc payouts inclusion statement.json rcp_… > line.json']],
  });

  file = Option.String({ name: 'FILE' });
  receipt = Option.String({ name: 'RECEIPT' });
  json = Option.Boolean('--json', false, { description: 'print JSON, as without it' });

  async execute(): Promise<number> {
    const { inclusionOf } = await import('../../payouts/statement-file.ts');
    this.output(this.json).line(JSON.stringify(await inclusionOf(this.file, this.receipt)));
    return EXIT.ok;
  }
}
