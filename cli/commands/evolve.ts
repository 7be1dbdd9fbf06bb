import { Command, Option } from 'clipanion';
import { EVOLUTION_STRATEGIES } from '#contract/studio/simulation/evolution-strategies.ts';
import { ApiCommand, integer, oneOf } from '../lib/api-command.ts';
import { EXIT } from '../lib/exit-codes.ts';

const MAX_SEED = 999_999_999;

export class EvolveCommand extends ApiCommand {
  static override paths = [['evolve']];
  static override usage = Command.Usage({
    description: 'make variants of a policy and compare them over many seeds',
    details:
      'WHAT is a template or a JSON file with a specification, as for svc simulate: variants of the policy of the studied role are made. A JSON file with `participants` compares those. The winner becomes a proposal, which is switched off.',
    examples: [
      ['A better price rule', 'svc evolve creator-market --variants 6 --follow'],
      ['Ways that you name', 'svc evolve rules.json --follow'],
    ],
  });

  what = Option.String({ name: 'WHAT' });
  seed = Option.String('--seed', '1', { description: 'whole number' });
  variants = Option.String('--variants', '3', { description: 'how many, 1 to 8' });
  seeds = Option.String('--seeds', '16', { description: 'on how many seeds each is run, 4 to 32' });
  strategy = Option.String('--strategy', 'mutate', { description: EVOLUTION_STRATEGIES.join(' or ') });
  maxLoss = Option.String('--max-score-delta', '3', { description: 'points that a winner may lose on a single seed, 0 to 100' });
  follow = Option.Boolean('--follow,-f', false, { description: 'wait for its end' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const body = {
      seed: integer('--seed', this.seed, { min: 0, max: MAX_SEED }),
      variant_count: integer('--variants', this.variants, { min: 1, max: 8 }),
      seeds: integer('--seeds', this.seeds, { min: 4, max: 32 }),
      strategy: oneOf('--strategy', this.strategy, EVOLUTION_STRATEGIES),
      max_score_delta: integer('--max-score-delta', this.maxLoss, { min: 0, max: 100 }),
    };
    const { contestantsIn } = await import('../simulations/contestants-in.ts');
    const api = this.client().kernelEvolution;
    const output = this.output(this.json);
    const begun = await api.start({ body: { ...body, ...(await contestantsIn(this.what)) } });
    if (!this.follow) {
      output.result(begun, [begun.job_id]);
      output.hint(`See it with: svc evolve show ${begun.job_id}`);
      return EXIT.ok;
    }
    const { followed } = await import('../simulations/follow.ts');
    const { evolutionLines } = await import('../simulations/show.ts');
    const run = await followed(output, () => api.get({ params: { job_id: begun.job_id } }));
    output.result(run, () => evolutionLines(run));
    return run.state === 'succeeded' ? EXIT.ok : EXIT.failure;
  }
}

export class EvolveReplayCommand extends ApiCommand {
  static override paths = [['evolve', 'replay']];
  static override usage = Command.Usage({
    description: 'run a comparison again and compare every digest',
    examples: [['At the platform', 'svc evolve replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  job = Option.String({ name: 'JOB' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const api = this.client().kernelEvolution;
    const output = this.output(this.json);
    const begun = await api.replay({ params: { job_id: this.job } });
    const { followed } = await import('../simulations/follow.ts');
    const { evolutionLines } = await import('../simulations/show.ts');
    const run = await followed(output, () => api.get({ params: { job_id: begun.job_id } }));
    output.result(run, () => evolutionLines(run));
    return run.replay?.matches === true ? EXIT.ok : EXIT.failure;
  }
}
