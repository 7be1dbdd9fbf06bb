import { scenario } from './scenario.ts';

export const childScope = scenario({
  scenario: 'child_scope',
  title: 'Child scope',
  summary: 'A grant that the agent hands on allows no more than the one it holds: not in path, not in mode, not in time.',
  rules: {
    narrower: 'A child within its parent is given, and the agent accepts it',
    no_wider_path: 'A child never reaches a path that its parent does not allow',
    no_write: 'A child of a reader never writes',
    denied_stays: 'What the parent denies, the child denies',
    no_longer: 'A child ends no later than its parent',
  },
  steps: [
    { do: 'mint', as: 'parent', allow: ['docs/**'], deny: ['docs/private/**'], ttl_seconds: 300 },
    { do: 'delegate', from: 'parent', as: 'child', allow: ['docs/public/**'], ttl_seconds: 60, rule: 'narrower' },
    { do: 'call', grant: 'child', expect: 'asked', rule: 'narrower' },
    { do: 'delegate', from: 'parent', as: 'wider', allow: ['docs/**', 'ledger/**'], expect: 'refused', code: 'grant_not_contained', rule: 'no_wider_path' },
    {
      do: 'delegate',
      from: 'parent',
      as: 'writer',
      allow: ['docs/**'],
      mode: 'read_write_overlay',
      expect: 'refused',
      code: 'grant_not_contained',
      rule: 'no_write',
    },
    { do: 'delegate', from: 'parent', as: 'inner', allow: ['docs/**'], rule: 'denied_stays', facts: { denies_as_parent: true } },
    { do: 'delegate', from: 'parent', as: 'long', allow: ['docs/**'], ttl_seconds: 3600, rule: 'no_longer', facts: { outlives_parent: false } },
  ],
});
