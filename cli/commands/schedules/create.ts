import { Command, Option } from 'clipanion';
import type { z } from 'zod';
import { ScheduleIn, type ScheduleTarget } from '#contract/conversation/schedules.ts';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { clockNotes, repeatedTimesOption, skippedTimesOption, usageError } from '../../schedules/clock.ts';

export class SchedulesCreateCommand extends ApiCommand {
  static override paths = [['schedules', 'create']];
  static override usage = Command.Usage({
    description: 'schedule a tool call or a chat message',
    details:
      'CRON has five fields as in crontab: minute, hour, day of month, month, day of week. Among days, L is the last of the month, 15W the weekday nearest to the 15th, LW the last weekday, mon#2 the second Monday, friL the last Friday. It is read in the time zone of this machine unless --zone names another. A time that the clock skips when it is set forward runs at the first minute after, one that it shows twice runs once; --skipped-times and --repeated-times change that. svc schedules preview shows the times. After CRON come AGENT TOOL and arguments as in svc call.',
    examples: [
      ['On working days at nine', 'svc schedules create "0 9 * * mon-fri" reporter weekly team=core'],
      ['On the last weekday of each month', 'svc schedules create "0 17 LW * *" reporter monthly'],
      ['A message to the platform', 'svc schedules create "30 7 1 * *" --prompt "@reporter.monthly {}" --zone Europe/Berlin'],
    ],
  });

  cron = Option.String({ name: 'CRON' });
  what = Option.Rest({ name: 'AGENT_TOOL_ARGS' });
  jsonArgs = Option.String('--json', { description: 'all arguments as JSON, inline, @file.json or @-' });
  prompt = Option.String('--prompt', { description: 'instead of AGENT TOOL: a message to the platform' });
  title = Option.String('--title', { description: 'a name for it (default: what is run)' });
  zone = Option.String('--zone', { description: 'time zone, e.g. Europe/Berlin or UTC' });
  skippedTimes = skippedTimesOption();
  repeatedTimes = repeatedTimesOption();
  overlap = Option.String('--overlap', 'skip', { description: 'while the one before is under way: skip, buffer_one, allow_all or cancel_other' });
  catchup = Option.String('--catchup', '3600', { description: 'seconds within which a missed time is made up for' });
  pauseOnFailure = Option.Boolean('--pause-on-failure', false, { description: 'stop after a run that fails' });

  async execute(): Promise<number> {
    const body = ScheduleIn.safeParse({
      cron: this.cron,
      time_zone: this.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      skipped_times: this.skippedTimes,
      repeated_times: this.repeatedTimes,
      overlap: this.overlap,
      catchup_window_seconds: integer('--catchup', this.catchup, { min: 10, max: 31_536_000 }),
      pause_on_failure: this.pauseOnFailure,
      target: await this.#target(),
      ...(this.title === undefined ? {} : { title: this.title }),
    });
    if (!body.success) throw usageError(body.error);
    const schedule = await this.client().schedules.create({ body: body.data });
    const output = this.output();
    const next = schedule.next_times?.slice(0, 3).map((time) => time.slice(0, 16).replace('T', ' '));
    output.hint(`Made "${schedule.title}" (${schedule.cron}, ${schedule.time_zone})${next && next.length > 0 ? `; next, in UTC: ${next.join(', ')}` : ''}`);
    for (const note of clockNotes(schedule.clock_changes, schedule.time_zone)) output.hint(note);
    output.line(schedule.schedule_id);
    return 0;
  }

  async #target(): Promise<z.input<typeof ScheduleTarget>> {
    const [agent, tool, ...pairs] = this.what;
    if (this.prompt !== undefined) {
      if (agent !== undefined) throw new UsageError('Give AGENT TOOL or --prompt, not both.');
      return { kind: 'prompt', prompt: this.prompt };
    }
    if (agent === undefined || tool === undefined) throw new UsageError('What is to run? Give AGENT TOOL, or --prompt TEXT.');
    const { callArguments } = await import('../../call/arguments.ts');
    const args = await callArguments(this.client(), { agent, tool, pairs, json: this.jsonArgs, stdin: this.context.stdin });
    return { kind: 'skill', agent, skill: tool, args };
  }
}
