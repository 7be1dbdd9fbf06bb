import { scenario } from './scenario.ts';

export const scopeUnion = scenario({
  scenario: 'scope_union',
  title: 'Scope union',
  summary: 'Two grants stay two grants: they cannot be joined into one that allows what both allow.',
  rules: {
    each_alone: 'Each grant is good for what it allows',
    no_union: 'No child is made of two parents',
    no_mode_union: 'The mode of one grant is not lent to the paths of another',
  },
  steps: [
    { do: 'mint', as: 'reader', allow: ['plans/**'] },
    { do: 'mint', as: 'writer', allow: ['drafts/**'], mode: 'read_write_overlay' },
    { do: 'delegate', from: 'reader', as: 'plans', allow: ['plans/2026/**'], rule: 'each_alone' },
    { do: 'delegate', from: 'writer', as: 'drafts', allow: ['drafts/a/**'], mode: 'read_write_overlay', rule: 'each_alone' },
    { do: 'delegate', from: 'reader', as: 'both', allow: ['plans/**', 'drafts/**'], expect: 'refused', code: 'grant_not_contained', rule: 'no_union' },
    { do: 'delegate', from: 'writer', as: 'both', allow: ['drafts/**', 'plans/**'], expect: 'refused', code: 'grant_not_contained', rule: 'no_union' },
    {
      do: 'delegate',
      from: 'writer',
      as: 'written',
      allow: ['plans/**'],
      mode: 'read_write_overlay',
      expect: 'refused',
      code: 'grant_not_contained',
      rule: 'no_mode_union',
    },
  ],
});
