import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

const share = (value: number): string => `${Math.round(value * 100)} %`;

export class TeamRunsCommand extends ApiCommand {
  static override paths = [['team'], ['team', 'runs']];
  static override usage = Command.Usage({ description: 'list runs of your teams, newest first', examples: [['The last twenty', 'svc team']] });

  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().collectiveRuntime.runs({ query: { limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('None. Plan a team with: svc team plan GOAL --protocol research_parallel_scouts');
    const rows = items.map((run) => [run.dag_run_id, run.state, run.protocol, plain(run.goal).slice(0, 60)]);
    output.result(items, () => (items.length === 0 ? [] : table(['RUN', 'STATE', 'PROTOCOL', 'GOAL'], rows)));
    return EXIT.ok;
  }
}

export class TeamShowCommand extends ApiCommand {
  static override paths = [['team', 'show']];
  static override usage = Command.Usage({
    description: 'show a run of a team: steps, gates, spending, evidence',
    examples: [['One', 'svc team show dag_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  run = Option.String({ name: 'RUN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { runLines } = await import('../../teams/show.ts');
    const run = await this.client().collectiveRuntime.run({ params: { dag_run_id: this.run } });
    const output = this.output(this.json);
    output.result(run, () => runLines(run, output));
    return EXIT.ok;
  }
}

export class TeamProtocolsCommand extends ApiCommand {
  static override paths = [['team', 'protocols']];
  static override usage = Command.Usage({ description: 'list how teams can work', examples: [['All', 'svc team protocols']] });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().collectiveRuntime.protocols();
    const rows = items.map(({ protocol, roles, about }) => [protocol, roles.map(({ role }) => role).join(', '), about]);
    this.output(this.json).result(items, () => table(['PROTOCOL', 'ROLES', 'HOW IT WORKS'], rows));
    return EXIT.ok;
  }
}

export class TeamScorecardsCommand extends ApiCommand {
  static override paths = [['team', 'scorecards']];
  static override usage = Command.Usage({
    description: 'show scorecards of the agents that may get work',
    examples: [['Your own, installed ones, and those you have called', 'svc team scorecards']],
  });

  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().collectiveRuntime.scorecards({ query: { limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const rows = items.map((card) => [
      card.agent,
      card.routing_state,
      `${share(card.mean)} (${share(card.low)} to ${share(card.high)})`,
      `${card.calls}`,
      plain(card.reason),
    ]);
    this.output(this.json).result(items, () => (items.length === 0 ? [] : table(['AGENT', 'ROUTING', 'GOOD', 'CALLS', 'WHY'], rows)));
    return EXIT.ok;
  }
}

export class TeamMemoriesCommand extends ApiCommand {
  static override paths = [['team', 'memories']];
  static override usage = Command.Usage({ description: 'list what finished work taught, newest first', examples: [['The last twenty', 'svc team memories']] });

  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().collectiveRuntime.memories({ query: { limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const rows = items.map(({ kind, text, sources }) => [kind, plain(text).slice(0, 100), sources[0] ?? 'no source']);
    this.output(this.json).result(items, () => (items.length === 0 ? [] : table(['KIND', 'WHAT', 'SOURCE'], rows)));
    return EXIT.ok;
  }
}
