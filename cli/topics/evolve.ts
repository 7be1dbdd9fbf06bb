// Variants of a policy, compared over many seeds.
import { Option } from 'clipanion';
import { EVOLUTION_STRATEGIES } from '#contract/studio/simulation/evolution-strategies.ts';
import { integer, oneOf } from '../lib/api-command.ts';
import { command, customCommand } from '../lib/command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { contestantsIn } from '../simulations/contestants-in.ts';
import { followed } from '../simulations/follow.ts';
import { evolutionLines } from '../simulations/show.ts';

const MAX_SEED = 999_999_999;

export const commands = [
  command('evolve get', {
    about: 'show the contestants of a comparison with their intervals, and the proposal',
    examples: [['One', 'svc evolve get job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { job: 'JOB' },
    route: 'kernelEvolution.get',
    send: ({ job }) => ({ params: { job_id: job } }),
    lines: evolutionLines,
  }),
  customCommand('evolve replay', {
    about: 'run a comparison again and compare every digest',
    examples: [['At the platform', 'svc evolve replay job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { job: 'JOB' },
    run: async ({ job }, { client: { kernelEvolution }, output }) => {
      const { job_id } = await kernelEvolution.replay({ params: { job_id: job } });
      return followed(output, () => kernelEvolution.get({ params: { job_id } }));
    },
    lines: evolutionLines,
    exit: ({ replay }) => (replay?.matches === true ? EXIT.ok : EXIT.failure),
  }),
  customCommand('evolve', {
    about: 'make variants of a policy and compare them over many seeds',
    details:
      'WHAT is a template or a JSON file with a specification, as for svc simulate: variants of the policy of the studied role are made. A JSON file with `participants` compares those. The winner becomes a proposal, which is switched off.',
    examples: [
      ['A better price rule', 'svc evolve creator-market --variants 6 --follow'],
      ['Ways that you name', 'svc evolve rules.json --follow'],
    ],
    arguments: { what: 'WHAT' },
    options: () => ({
      seed: Option.String('--seed', '1', { description: 'whole number' }),
      variants: Option.String('--variants', '3', { description: 'how many, 1 to 8' }),
      seeds: Option.String('--seeds', '16', { description: 'on how many seeds each is run, 4 to 32' }),
      strategy: Option.String('--strategy', 'mutate', { description: EVOLUTION_STRATEGIES.join(' or ') }),
      maxLoss: Option.String('--max-score-delta', '3', { description: 'points that a winner may lose on a single seed, 0 to 100' }),
      follow: Option.Boolean('--follow,-f', false, { description: 'wait for its end' }),
    }),
    run: async ({ what, seed, variants, seeds, strategy, maxLoss, follow }, { client: { kernelEvolution }, output }) => {
      const body = {
        seed: integer('--seed', seed, { min: 0, max: MAX_SEED }),
        variant_count: integer('--variants', variants, { min: 1, max: 8 }),
        seeds: integer('--seeds', seeds, { min: 4, max: 32 }),
        strategy: oneOf('--strategy', strategy, EVOLUTION_STRATEGIES),
        max_score_delta: integer('--max-score-delta', maxLoss, { min: 0, max: 100 }),
      };
      const begun = await kernelEvolution.start({ body: { ...body, ...(await contestantsIn(what)) } });
      return { begun, run: follow ? await followed(output, () => kernelEvolution.get({ params: { job_id: begun.job_id } })) : undefined };
    },
    json: ({ begun, run }) => run ?? begun,
    lines: ({ begun, run }) => (run ? evolutionLines(run) : [begun.job_id]),
    hint: ({ begun, run }) => (run ? undefined : `See it with: svc evolve get ${begun.job_id}`),
    exit: ({ run }) => (run && run.state !== 'succeeded' ? EXIT.failure : EXIT.ok),
  }),
];
