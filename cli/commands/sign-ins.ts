import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';
import { UsageError } from '../errors.ts';
import { plain, table } from '../output.ts';

export class SignInsCommand extends ApiCommand {
  static override paths = [['sign-ins'], ['sign-ins', 'list']];
  static override usage = Command.Usage({
    description: 'list what is signed in as you: browsers, command line tools, programs, tunnels',
    details:
      'A sign-in of the tool ends 7 days after its last use, and 30 days after the sign-in. End one that you do not know with svc sign-ins end. Tokens of agents are listed by svc tokens list.',
    examples: [['All', 'svc sign-ins']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().signIns.list();
    this.output(this.json).result(items, () =>
      table(
        ['ID', 'WHAT', 'REACHES', 'FROM', 'SIGNED IN (UTC)', 'LAST USED', 'ENDS'],
        items.map((one) => [
          one.sign_in_id,
          `${plain(one.name)}${one.organization === null ? '' : ` (${one.organization})`}${one.current ? ' *' : ''}`,
          one.agent === null ? 'everything' : plain(one.agent),
          one.address ?? 'unknown',
          minute(one.signed_in_at),
          one.last_used_at === null ? 'never' : minute(one.last_used_at),
          one.ends_at === null ? 'open' : minute(one.ends_at),
        ]),
      ),
    );
    return 0;
  }
}

export class SignInsEndCommand extends ApiCommand {
  static override paths = [['sign-ins', 'end']];
  static override usage = Command.Usage({
    description: 'end a sign-in, or all others: tokens are refused and connections closed within seconds',
    examples: [
      ['By the ID that svc sign-ins shows', 'svc sign-ins end sgn_0683de7b-db7e-43b0-81e9-9d1825b92f52'],
      ['All but this one', 'svc sign-ins end --others'],
    ],
  });

  id = Option.String({ name: 'ID', required: false });
  others = Option.Boolean('--others', false, { description: 'all but the one of this tool' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { id, others } = this;
    if ((id === undefined) !== others) throw new UsageError('Name the ID of one sign-in, as svc sign-ins shows it, or all but this one with --others.');
    const output = this.output(this.json);
    if (id === undefined) {
      const { ended } = await this.client().signIns.endOthers();
      output.result({ ended }, [`${ended} ${ended === 1 ? 'sign-in' : 'sign-ins'} ended.`]);
      return 0;
    }
    await this.client().signIns.end({ params: { sign_in_id: id } });
    output.hint(`Sign-in ${id} is ended.`);
    output.result({ sign_in_id: id, ended: true }, []);
    return 0;
  }
}

function minute(instant: string): string {
  return instant.slice(0, 16).replace('T', ' ');
}
