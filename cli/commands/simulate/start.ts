import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../lib/api-command.ts';
import { EXIT } from '../../lib/exit-codes.ts';

const MAX_SEED = 999_999_999;

export class SimulateCommand extends ApiCommand {
  static override paths = [['simulate']];
  static override usage = Command.Usage({
    description: 'run a world of many actors from a seed',
    details:
      'WHAT is the name of a template (see svc simulate templates) or a JSON file with a specification. The same seed gives the same run, digest for digest. Ends with 1 where an invariant broke.',
    examples: [
      ['Which price rule keeps creators solvent?', 'svc simulate creator-market --follow'],
      ['A world of your own', 'svc simulate my-world.json --seed 7 --follow'],
    ],
  });

  what = Option.String({ name: 'WHAT' });
  seed = Option.String('--seed', '1', { description: 'whole number' });
  steps = Option.String('--steps', { description: 'how many steps, 1 to 120 (default: from the template or the file)' });
  hybrid = Option.Boolean('--hybrid', false, { description: 'actors with an agent take some of their turns by real calls' });
  follow = Option.Boolean('--follow,-f', false, { description: 'wait for its end, and show what was measured' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const seed = integer('--seed', this.seed, { min: 0, max: MAX_SEED });
    const steps = this.steps === undefined ? {} : { steps: integer('--steps', this.steps, { min: 1, max: 120 }) };
    const { worldIn } = await import('../../simulations/world-in.ts');
    const api = this.client().kernelSimulations;
    const output = this.output(this.json);
    const begun = await api.start({ body: { ...(await worldIn(this.what)), ...steps, seed, ...(this.hybrid && { execution_mode: 'hybrid' as const }) } });
    if (!this.follow) {
      output.result(begun, [begun.job_id]);
      output.hint(`See it with: svc simulate show ${begun.job_id}`);
      return EXIT.ok;
    }
    const { followed } = await import('../../simulations/follow.ts');
    const { simulationLines } = await import('../../simulations/show.ts');
    const run = await followed(output, () => api.get({ params: { job_id: begun.job_id } }));
    output.result(run, () => simulationLines(run));
    return run.state === 'succeeded' ? EXIT.ok : EXIT.failure;
  }
}
