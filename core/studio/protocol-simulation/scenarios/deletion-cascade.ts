import { scenario } from './scenario.ts';

export const deletionCascade = scenario({
  scenario: 'deletion_cascade',
  title: 'Deletion cascade',
  summary: 'Deleting an agent deletes its secrets, tokens and settings, and it cannot be reached any more.',
  rules: {
    reached_before: 'Before its deletion it holds what was given to it',
    nothing_left: 'After its deletion nothing of it is left to use',
    not_reached: 'It cannot be reached',
    no_new_grant: 'It gets no new grant',
  },
  steps: [
    { do: 'copy' },
    { do: 'left', rule: 'reached_before', facts: { secrets: 1, tokens: 1, found: true } },
    { do: 'delete' },
    { do: 'left', rule: 'nothing_left', facts: { secrets: 0, tokens: 0, settings: 0, found: false, reachable: false } },
    { do: 'call', to: 'copy', expect: 'refused', code: 'agent_not_found', rule: 'not_reached' },
    { do: 'mint', as: 'late', allow: ['docs/**'], to: 'copy', expect: 'refused', code: 'agent_not_found', rule: 'no_new_grant' },
    { do: 'call', expect: 'asked', rule: 'nothing_left' },
  ],
});
