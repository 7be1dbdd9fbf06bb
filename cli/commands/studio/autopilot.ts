// The daily look at your agents: whether and when it is made, and one now.
import { Command, Option } from 'clipanion';
import type { AutopilotOut } from '#contract/studio/autopilot.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain } from '../../output.ts';

abstract class AutopilotBase extends ApiCommand {
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  protected show(autopilot: AutopilotOut): number {
    const { enabled, daily_hour, time_zone, last_day, open_proposals } = autopilot;
    this.output(this.json).result(autopilot, [
      enabled ? `On: each day from ${String(daily_hour).padStart(2, '0')}:00 ${time_zone}` : 'Off: switch it on with svc autopilot on',
      `Last look: ${last_day ?? 'none yet'}`,
      `Open proposals: ${open_proposals}${open_proposals === 0 ? '' : ' (svc autopilot proposals)'}`,
    ]);
    return EXIT.ok;
  }
}

export class AutopilotCommand extends AutopilotBase {
  static override paths = [['autopilot']];
  static override usage = Command.Usage({
    description: 'show whether your agents are checked each day',
    details: 'The look reads failures, cost, latency, dependencies and findings. It changes nothing: what it finds becomes a proposal, and you decide.',
    examples: [['Your account', 'svc autopilot']],
  });

  async execute(): Promise<number> {
    return this.show(await this.client().agentStudio.autopilot());
  }
}

export class AutopilotOnCommand extends AutopilotBase {
  static override paths = [['autopilot', 'on']];
  static override usage = Command.Usage({
    description: 'check your agents each day',
    examples: [['From seven in the morning', 'svc autopilot on --hour 7 --zone Europe/Berlin']],
  });

  hour = Option.String('--hour', { description: '0 to 23 (default: unchanged, 9 at first)' });
  zone = Option.String('--zone', { description: 'IANA name of the time zone (default: unchanged, UTC at first)' });

  async execute(): Promise<number> {
    const api = this.client().agentStudio;
    const { daily_hour, time_zone } = await api.autopilot();
    const hour = this.hour === undefined ? daily_hour : integer('--hour', this.hour, { min: 0, max: 23 });
    return this.show(await api.setAutopilot({ body: { enabled: true, daily_hour: hour, time_zone: this.zone ?? time_zone } }));
  }
}

export class AutopilotOffCommand extends AutopilotBase {
  static override paths = [['autopilot', 'off']];
  static override usage = Command.Usage({ description: 'stop the daily look; proposals stay', examples: [['Off', 'svc autopilot off']] });

  async execute(): Promise<number> {
    const api = this.client().agentStudio;
    const { daily_hour, time_zone } = await api.autopilot();
    return this.show(await api.setAutopilot({ body: { enabled: false, daily_hour, time_zone } }));
  }
}

export class AutopilotLookCommand extends AutopilotBase {
  static override paths = [['autopilot', 'look']];
  static override usage = Command.Usage({
    description: 'check your agents now; it only proposes',
    examples: [['Without waiting for the hour', 'svc autopilot look']],
  });

  async execute(): Promise<number> {
    const { proposalRows } = await import('../../studio/proposals.ts');
    const looked = await this.client().agentStudio.lookNow();
    this.output(this.json).result(looked, () => [
      `${looked.looked_at} agents, ${looked.created.length} new proposals, ${looked.expired} expired`,
      ...proposalRows(looked.created).map(plain),
    ]);
    return EXIT.ok;
  }
}
