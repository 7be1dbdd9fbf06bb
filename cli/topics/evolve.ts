// Variants of a policy, compared over many seeds.
import { EvolveCommand, EvolveReplayCommand } from '../commands/evolve.ts';
import { command } from '../lib/command.ts';
import { evolutionLines } from '../simulations/show.ts';

export const commands = [
  command('evolve show', {
    about: 'show the contestants of a comparison with their intervals, and the proposal',
    examples: [['One', 'svc evolve show job_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
    arguments: { job: 'JOB' },
    route: 'kernelEvolution.get',
    send: ({ job }) => ({ params: { job_id: job } }),
    lines: evolutionLines,
  }),
  EvolveReplayCommand,
  EvolveCommand,
];
