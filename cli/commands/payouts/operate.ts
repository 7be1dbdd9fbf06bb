// For operators: what is owed, and runs.
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { signedDollars } from '../../dollars.ts';

export class PayoutsOwedCommand extends ApiCommand {
  static override paths = [['payouts', 'owed']];
  static override usage = Command.Usage({ description: 'list what creators are owed; for operators', examples: [['All of them', 'svc payouts owed']] });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const { payoutsAdmin } = this.client();
    const [sums, { items, next_cursor }] = await Promise.all([payoutsAdmin.metrics(), payoutsAdmin.owed({ query: { limit: 200 } })]);
    const rows = items.map((one) => [one.user_id, plain(one.email), signedDollars(one.owed_micros), signedDollars(one.held_micros), one.payouts_enabled ? 'ready' : 'not ready', plain(one.last_error?.message ?? '-')]); // prettier-ignore
    if (next_cursor !== null) output.hint('These are the first 200.');
    output.result({ ...sums, creators: items }, () => [
      `Owed ${signedDollars(sums.owed_micros)}, held ${signedDollars(sums.held_micros)}, sent ${signedDollars(sums.sent_micros)}`,
      ...(items.length === 0 ? [] : ['', ...table(['CREATOR', 'EMAIL', 'OWED', 'HELD', 'ACCOUNT', 'LAST FAILURE'], rows)]),
    ]);
    return 0;
  }
}

export class PayoutsSettleCommand extends ApiCommand {
  static override paths = [['payouts', 'settle']];
  static override usage = Command.Usage({
    description: 'start a run that pays creators; for operators',
    details: 'Without a creator it pays all creators who are owed the minimum; a named creator is paid any amount. Commands with the same --key start one run.',
    examples: [
      ['All creators', 'svc payouts settle'],
      ['One creator', 'svc payouts settle usr_…'],
    ],
  });

  creator = Option.String({ name: 'CREATOR', required: false });
  key = Option.String('--key', { description: 'names the request, so that it can be repeated' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const key = this.key === undefined ? {} : { key: this.key };
    const run = await this.client().payoutsAdmin.settle({ body: { ...(this.creator === undefined ? {} : { user_id: this.creator }), ...key } });
    output.result(run, [run.run_id]);
    output.hint('Its outcome: svc payouts owed');
    return 0;
  }
}
