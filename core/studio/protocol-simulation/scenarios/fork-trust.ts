import { scenario } from './scenario.ts';

export const forkTrust = scenario({
  scenario: 'fork_trust',
  title: 'Fork trust',
  summary: 'A copy of an agent has its code and nothing of its standing: no receipts, reviews, rehearsals, proofs or grants.',
  rules: {
    nothing_inherited: 'A copy starts without anything that was earned or given',
    own_grants: 'What was given to the one is of no use to the other',
    unlisted: 'A copy is not listed until its owner publishes it',
  },
  steps: [
    { do: 'mint', as: 'given', allow: ['docs/**'] },
    { do: 'call', expect: 'asked' },
    { do: 'copy', rule: 'unlisted', facts: { visibility: 'unlisted' } },
    { do: 'trust', of: 'copy', rule: 'nothing_inherited', facts: { receipts: 0, reviews: 0, rehearsals: 0, proofs: 0, grants: 0 } },
    { do: 'verify', grant: 'given', at: 'copy', expect: 'refused', code: 'grant_invalid', rule: 'own_grants' },
  ],
});
