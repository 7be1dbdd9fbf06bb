// What is done to one schedule: run it now, pause it, resume it, delete it.
import { Command, Option } from 'clipanion';
import type { Api } from '../../api.ts';
import { ApiCommand } from '../../command-base.ts';
import type { Output } from '../../output.ts';
import { scheduleId } from '../../schedules.ts';

abstract class ScheduleCommand extends ApiCommand {
  schedule = Option.String({ name: 'SCHEDULE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  /** Says what was done; the answer is what --json prints. */
  protected abstract change(client: Api, id: string, output: Output): Promise<object>;

  async execute(): Promise<number> {
    const client = this.client();
    const output = this.output(this.json);
    output.result(await this.change(client, await scheduleId(client, this.schedule), output), []);
    return 0;
  }
}

export class SchedulesRunCommand extends ScheduleCommand {
  static override paths = [['schedules', 'run']];
  static override usage = Command.Usage({
    description: 'run a schedule now, also while it is paused',
    details: 'SCHEDULE is its id, or its title where only one has it. Prints the id of the run, where there is one already.',
    examples: [['By its title', 'svc schedules run "weekly report"']],
  });

  protected async change(client: Api, id: string, output: Output): Promise<object> {
    const firing = await client.schedules.run({ params: { schedule_id: id } });
    output.hint(firing.run_id === null ? 'It is being started. See it with: svc runs' : `Started. See it with: svc logs --run ${firing.run_id} --follow`);
    if (firing.run_id !== null && !output.json) output.line(firing.run_id);
    return firing;
  }
}

export class SchedulesPauseCommand extends ScheduleCommand {
  static override paths = [['schedules', 'pause']];
  static override usage = Command.Usage({
    description: 'pause a schedule',
    details: 'SCHEDULE is its id, or its title where only one has it.',
    examples: [['By its title', 'svc schedules pause "weekly report"']],
  });

  protected async change(client: Api, id: string, output: Output): Promise<object> {
    const schedule = await client.schedules.update({ params: { schedule_id: id }, body: { paused: true } });
    output.hint(`Paused. Resume it with: svc schedules resume "${schedule.title}"`);
    return schedule;
  }
}

export class SchedulesResumeCommand extends ScheduleCommand {
  static override paths = [['schedules', 'resume']];
  static override usage = Command.Usage({
    description: 'resume a paused schedule',
    details: 'SCHEDULE is its id, or its title where only one has it.',
    examples: [['By its title', 'svc schedules resume "weekly report"']],
  });

  protected async change(client: Api, id: string, output: Output): Promise<object> {
    const schedule = await client.schedules.update({ params: { schedule_id: id }, body: { paused: false } });
    const { next_times: next } = schedule;
    output.note(`Resumed${next?.[0] === undefined ? '' : `; next, in UTC: ${next[0].slice(0, 16).replace('T', ' ')}`}.`);
    return schedule;
  }
}

export class SchedulesDeleteCommand extends ScheduleCommand {
  static override paths = [['schedules', 'delete']];
  static override usage = Command.Usage({
    description: 'delete a schedule; runs in progress continue',
    details: 'SCHEDULE is its id, or its title where only one has it.',
    examples: [['By its title', 'svc schedules delete "weekly report"']],
  });

  protected async change(client: Api, id: string, output: Output): Promise<object> {
    await client.schedules.remove({ params: { schedule_id: id } });
    output.note('Deleted.');
    return { schedule_id: id, deleted: true };
  }
}
