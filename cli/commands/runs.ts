import { Command, Option } from 'clipanion';
import { JobState } from '#contract/runs/work-ledger.ts';
import { ApiCommand, integer, oneOf } from '../command-base.ts';
import { plain, table } from '../output.ts';

export class RunsCommand extends ApiCommand {
  static override paths = [['runs']];
  static override usage = Command.Usage({
    description: 'list your durable runs, newest first',
    details: 'See one of them with: svc logs --run ID. Those that wait for you are decided with: svc answer.',
    examples: [
      ['Runs that wait for you', 'svc runs --state waiting'],
      ['One agent, with deploys and other jobs', 'svc runs reporter --all'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  state = Option.String('--state', { description: JobState.options.join(', ') });
  all = Option.Boolean('--all', false, { description: 'not only runs: all work done for you' });
  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 200 });
    const state = this.state === undefined ? undefined : oneOf('--state', this.state, JobState.options);
    const { runOf } = await import('../runs/model.ts');
    const query = { limit, state, agent: this.agent, ...(this.all ? {} : { kind: 'run' }) };
    const { items } = await this.client().workLedger.activity({ query });
    const output = this.output(this.json);
    if (items.length === 0) output.hint(`None${this.state === undefined ? '. Start one with: svc call AGENT TOOL --detach' : ` is ${this.state}.`}`);
    output.result(items, () => {
      if (items.length === 0) return [];
      const rows = items.map((job) => [
        runOf(job)?.runId ?? job.job_id,
        ...(this.all ? [job.kind] : []),
        job.state,
        job.created_at.slice(0, 19).replace('T', ' '),
        plain(job.title).slice(0, 60),
      ]);
      return table(['ID', ...(this.all ? ['KIND'] : []), 'STATE', 'STARTED (UTC)', 'WHAT'], rows);
    });
    return 0;
  }
}
