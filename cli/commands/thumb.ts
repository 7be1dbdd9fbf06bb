import { Command, Option } from 'clipanion';
import { ApiCommand, oneOf } from '../command-base.ts';

export class ThumbCommand extends ApiCommand {
  static override paths = [['thumb']];
  static override usage = Command.Usage({
    description: 'rate a run of yours as good or bad; the owner of its agent sees it',
    examples: [
      ['Good', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 up'],
      ['Not good', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 down --comment "It named no source"'],
      ['Taken back', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 none'],
    ],
  });

  run = Option.String({ name: 'RUN' });
  thumb = Option.String({ name: 'up|down|none' });
  comment = Option.String('--comment', '', { description: 'why' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const thumb = oneOf('The thumb', this.thumb, ['up', 'down', 'none']);
    const params = { run_id: this.run };
    if (thumb === 'none') await this.evaluations().deleteThumb({ params });
    else await this.evaluations().putThumb({ params, body: { up: thumb === 'up', comment: this.comment } });
    this.output(this.json).result({ ...params, thumb }, ['Noted.']);
    return 0;
  }
}
