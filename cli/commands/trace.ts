import { Command, Option } from 'clipanion';
import { ApiCommand } from '../command-base.ts';

export class TraceCommand extends ApiCommand {
  static override paths = [['trace']];
  static override usage = Command.Usage({
    description: 'show what happened in a run: agents, models, questions and what agents report, with times, tokens and cost',
    details:
      'A tree in the order in which things began. The time that the run waited for a person is left out of its bars. Tokens and cost are of models that you paid for.',
    examples: [
      ['One run', 'svc trace run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
      ['For programs', 'svc trace run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --json'],
    ],
  });

  run = Option.String({ name: 'RUN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const trace = await this.client().traces.mine({ params: { run_id: this.run } });
    const { traceLines } = await import('../runs/trace.ts');
    const output = this.output(this.json);
    output.result(trace, () => traceLines(trace, { now: Date.now(), dim: (text) => output.dim(text), bad: (text) => output.bad(text) }));
    return 0;
  }
}
