import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

export class SimulateShowCommand extends ApiCommand {
  static override paths = [['simulate', 'show']];
  static override usage = Command.Usage({
    description: 'show what a simulation measured, and what held',
    examples: [['With its plots', 'svc simulate show job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  job = Option.String({ name: 'JOB' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { simulationLines } = await import('../../simulations/show.ts');
    const run = await this.client().kernelSimulations.get({ params: { job_id: this.job } });
    this.output(this.json).result(run, () => simulationLines(run));
    return EXIT.ok;
  }
}

export class SimulateListCommand extends ApiCommand {
  static override paths = [['simulate', 'list']];
  static override usage = Command.Usage({
    description: 'list your simulations, newest first',
    examples: [['The last twenty', 'svc simulate list']],
  });

  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const limit = integer('--limit', this.limit, { min: 1, max: 200 });
    const { items } = await this.client().kernelSimulations.list({ query: { limit } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('None. Start one with: svc simulate creator-market --follow');
    const rows = items.map((one) => [one.job_id, one.state, one.verdict ?? '-', `${one.seed}`, `${one.done} of ${one.total}`, plain(one.title).slice(0, 50)]);
    output.result(items, () => (items.length === 0 ? [] : table(['JOB', 'STATE', 'INVARIANTS', 'SEED', 'STEPS', 'WHAT'], rows)));
    return EXIT.ok;
  }
}

export class SimulateTemplatesCommand extends ApiCommand {
  static override paths = [['simulate', 'templates']];
  static override usage = Command.Usage({
    description: 'list the worlds that a simulation can start from',
    details: 'With a name: its specification, to change and to run from a file.',
    examples: [
      ['All', 'svc simulate templates'],
      ['The specification of one, to keep in a file', 'svc simulate templates market'],
    ],
  });

  template = Option.String({ required: false, name: 'TEMPLATE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().kernelSimulations.templates();
    const output = this.output(this.json);
    if (this.template === undefined) {
      output.result(items, () => table(['TEMPLATE', 'WORLD', 'WHAT'], items.map(({ template, world, about }) => [template, world, about]))); // prettier-ignore
      return EXIT.ok;
    }
    const found = items.find(({ template }) => template === this.template);
    if (!found) {
      const { CliError } = await import('../../errors.ts');
      throw new CliError(`There is no template ${this.template}: use one of ${items.map(({ template }) => template).join(', ')}`);
    }
    output.result(found.spec, [JSON.stringify(found.spec, null, 2)]);
    return EXIT.ok;
  }
}
