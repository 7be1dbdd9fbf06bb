import { Command, Option } from 'clipanion';
import { SchedulePatchIn } from '#contract/conversation/schedules.ts';
import { ApiCommand } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { clockNotes, repeatedTimesOption, skippedTimesOption, usageError } from '../../schedule-clock.ts';
import { scheduleId } from '../../schedules.ts';

export class SchedulesUpdateCommand extends ApiCommand {
  static override paths = [['schedules', 'update']];
  static override usage = Command.Usage({
    description: 'change when a schedule runs',
    details: 'SCHEDULE is its id, or its title where only one has it. What is not named stays as it is.',
    examples: [['Run both times when the clock is set back', 'svc schedules update "weekly report" --repeated-times twice']],
  });

  schedule = Option.String({ name: 'SCHEDULE' });
  cron = Option.String('--cron', { description: 'as in svc schedules create' });
  zone = Option.String('--zone', { description: 'time zone, e.g. Europe/Berlin or UTC' });
  skippedTimes = skippedTimesOption();
  repeatedTimes = repeatedTimesOption();
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const named = { cron: this.cron, time_zone: this.zone, skipped_times: this.skippedTimes, repeated_times: this.repeatedTimes };
    const given = Object.entries(named).filter(([, value]) => value !== undefined);
    if (given.length === 0) throw new UsageError('Nothing to change: give --cron, --zone, --skipped-times or --repeated-times.');
    const body = SchedulePatchIn.safeParse(Object.fromEntries(given));
    if (!body.success) throw usageError(body.error);
    const client = this.client();
    const schedule = await client.schedules.update({ params: { schedule_id: await scheduleId(client, this.schedule) }, body: body.data });
    const output = this.output(this.json);
    output.result(schedule, []);
    const next = schedule.next_times?.[0];
    output.hint(
      `Changed "${schedule.title}" (${schedule.cron}, ${schedule.time_zone})${next === undefined ? '' : `; next, in UTC: ${next.slice(0, 16).replace('T', ' ')}`}`,
    );
    for (const note of clockNotes(schedule.clock_changes, schedule.time_zone)) output.hint(note);
    return 0;
  }
}
