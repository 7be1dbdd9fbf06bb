import { scenario } from './scenario.ts';

export const runawayRecursion = scenario({
  scenario: 'runaway_recursion',
  title: 'Runaway recursion',
  summary: 'An agent that calls itself, directly or in a chain without end, is stopped before it costs anything more.',
  rules: {
    no_loop: 'The same skill is not called again within its own chain of calls',
    bounded_depth: 'A chain of calls has an end',
  },
  steps: [
    { do: 'recurse', through: 'itself', expect: 'refused', code: 'call_loop', rule: 'no_loop' },
    { do: 'recurse', through: 'others', expect: 'refused', code: 'call_depth_exceeded', rule: 'bounded_depth', facts: { deepest: 8 } },
  ],
});
