import { Command, Option } from 'clipanion';
import { schedulePreviews } from '#contract/conversation/schedules.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { table } from '../../output.ts';
import { clockNotes, repeatedTimesOption, skippedTimesOption, usageError } from '../../schedule-clock.ts';

export class SchedulesPreviewCommand extends ApiCommand {
  static override paths = [['schedules', 'preview']];
  static override usage = Command.Usage({
    description: 'show when a schedule would run, without creating it',
    details: 'CRON and options as in svc schedules create. It also shows what happens to times that the clock skips or shows twice within 400 days.',
    examples: [
      ['The second Monday of each month', 'svc schedules preview "0 9 * * mon#2"'],
      ['At night, where clocks are set', 'svc schedules preview "30 2 * * *" --zone Europe/Berlin'],
    ],
  });

  cron = Option.String({ name: 'CRON' });
  zone = Option.String('--zone', { description: 'time zone, e.g. Europe/Berlin or UTC' });
  skippedTimes = skippedTimesOption();
  repeatedTimes = repeatedTimesOption();
  after = Option.String('--after', { description: 'from this time on, such as 2027-03-27T00:00:00Z (default: now)' });
  limit = Option.String('--limit', '10', { description: 'how many times to show, up to 50' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const query = schedulePreviews.preview.query.safeParse({
      cron: this.cron,
      time_zone: this.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      skipped_times: this.skippedTimes,
      repeated_times: this.repeatedTimes,
      after: this.after,
      count: integer('--limit', this.limit, { min: 1, max: 50 }),
    });
    if (!query.success) throw usageError(query.error);
    const { time_zone: timeZone } = query.data;
    const preview = await this.client().schedules.preview({ query: query.data });
    const output = this.output(this.json);
    // Sweden writes dates as ISO 8601 does.
    const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const rows = preview.next_times.map((at) => [clock.format(Date.parse(at)), at.slice(0, 16).replace('T', ' ')]);
    output.result(preview, () => table([timeZone.toUpperCase(), 'UTC'], rows));
    for (const note of clockNotes(preview.clock_changes, timeZone)) output.hint(note);
    return 0;
  }
}
