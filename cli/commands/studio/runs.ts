// Runs of the studio, and ideas for more.
import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';
import { MODEL_WORDS, modelIn } from '../../studio/model-words.ts';

export class StudioRunsCommand extends ApiCommand {
  static override paths = [['studio'], ['studio', 'runs']];
  static override usage = Command.Usage({ description: 'list your runs of the studio, newest first', examples: [['The last twenty', 'svc studio']] });

  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().agentStudio.list({ query: { limit: integer('--limit', this.limit, { min: 1, max: 100 }) } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('None. Make an agent with: svc studio make NAME "GOAL" --wait');
    const rows = items.map(({ run_id, name, state, decision, created_at, goal }) => [run_id, name, state, decision, created_at, plain(goal).slice(0, 60)]);
    output.result(items, () => (items.length === 0 ? [] : table(['RUN', 'AGENT', 'STATE', 'DECISION', 'BEGAN', 'GOAL'], rows)));
    return EXIT.ok;
  }
}

export class StudioShowCommand extends ApiCommand {
  static override paths = [['studio', 'show']];
  static override usage = Command.Usage({
    description: 'show a run of the studio: its source, checks, findings, samples, spending, and what is left for you',
    examples: [['One', 'svc studio show std_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  run = Option.String({ name: 'RUN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { runLines } = await import('../../studio/show.ts');
    const run = await this.client().agentStudio.get({ params: { run_id: this.run } });
    const output = this.output(this.json);
    output.result(run, () => runLines(run));
    if (run.ended_at === null && run.job_id !== null) output.hint(`It is running. Cancel it with: svc cancel ${run.job_id}`);
    return EXIT.ok;
  }
}

export class StudioIdeasCommand extends ApiCommand {
  static override paths = [['studio', 'ideas']];
  static override usage = Command.Usage({
    description: 'show a hundred ideas for agents on a theme, scored; with --build make the best three',
    details: 'The same theme gives the same ideas; the agents on the platform decide how much each idea is needed. --json has the parts of each score.',
    examples: [
      ['The best ten', 'svc studio ideas "small harbours" --limit 10'],
      ['Make the best three, for six dollars together at most', 'svc studio ideas "small harbours" --build --model default --budget 600'],
    ],
  });

  theme = Option.String({ name: 'THEME' });
  build = Option.Boolean('--build', false, { description: 'start runs for the best three that need no further input' });
  budget = Option.String('--budget', '3000', { description: 'cents of the three together, 300 to 9000' });
  model = Option.String('--model', { description: MODEL_WORDS });
  credential = Option.String('--credential', { description: 'the model credential that is used (svc models)' });
  limit = Option.String('--limit,-n', '20', { description: 'how many are shown' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 100 });
    const model = modelIn(this.model, this.credential);
    const body = {
      theme: this.theme,
      build_top_three: this.build,
      total_budget_cents: integer('--budget', this.budget, { min: 300, max: 9000 }),
      ...(model !== undefined && { model }),
    };
    const ideas = await this.client().agentStudio.ideas({ body });
    const { ideaLines } = await import('../../studio/show.ts');
    const output = this.output(this.json);
    output.result({ ...ideas, items: ideas.items.slice(0, limit) }, () => ideaLines(ideas, limit));
    for (const { name, run_id } of ideas.runs) output.hint(`${name} is being made. See it with: svc studio show ${run_id}`);
    if (this.build && ideas.runs.length === 0) output.note('Nothing is being made: each of them needs an input.');
    return EXIT.ok;
  }
}
