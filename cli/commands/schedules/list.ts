import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

export class SchedulesListCommand extends ApiCommand {
  static override paths = [['schedules', 'list']];
  static override usage = Command.Usage({
    description: 'list your schedules, with next times, last runs and failures',
    examples: [['All of them', 'svc schedules list']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { allSchedules, scheduleNotes, scheduleTable } = await import('../../schedules.ts');
    const schedules = await allSchedules(this.client());
    const output = this.output(this.json);
    if (schedules.length === 0) output.hint('No schedules. Make one with: svc schedules create "0 9 * * mon-fri" AGENT TOOL');
    output.result(schedules, () => (schedules.length === 0 ? [] : scheduleTable(schedules)));
    for (const note of schedules.flatMap(scheduleNotes)) output.hint(note);
    return 0;
  }
}
