import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../lib/api-command.ts';

export class FilesUnshareCommand extends ApiCommand {
  static override paths = [['files', 'unshare']];
  static override usage = Command.Usage({
    description: 'take back what you have let agents see',
    details: 'A grant that is revoked opens nothing from its next use on, and neither does what agents made of it for others. svc files shares lists yours.',
    examples: [['One of them', 'svc files unshare grt_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  grant = Option.String({ name: 'GRANT' });
  more = Option.Rest({ name: 'GRANTS' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const [api, output, revoked] = [this.client().grants, this.output(this.json), [this.grant, ...this.more]];
    for (const grant_id of revoked) {
      await api.revoke({ params: { grant_id } });
      output.note(`${grant_id} is revoked.`);
    }
    output.result({ revoked }, []);
    return 0;
  }
}
