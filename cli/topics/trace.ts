// What happened in a run.
import { command } from '../lib/command.ts';
import { traceLines } from '../runs/trace.ts';

export const commands = [
  command('trace', {
    about: 'show what happened in a run: agents, models, questions and what agents report, with times, tokens and cost',
    details:
      'A tree in the order in which things began. The time that the run waited for a person is left out of its bars. Tokens and cost are of models that you paid for.',
    examples: [
      ['One run', 'svc trace run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
      ['For programs', 'svc trace run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --json'],
    ],
    arguments: { run: 'RUN' },
    route: 'traces.mine',
    send: ({ run }) => ({ params: { run_id: run } }),
    lines: (trace, _, output) => traceLines(trace, { now: Date.now(), dim: (text) => output.dim(text), bad: (text) => output.bad(text) }),
  }),
];
