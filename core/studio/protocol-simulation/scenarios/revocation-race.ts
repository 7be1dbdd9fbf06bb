import { scenario } from './scenario.ts';

export const revocationRace = scenario({
  scenario: 'revocation_race',
  title: 'Revocation race',
  summary: 'A grant is taken back while the agent hands it on many times: whichever comes first, no child is good afterwards.',
  rules: {
    before: 'Until it is taken back the grant is good',
    no_survivor: 'No child outlives the revocation of its parent',
    no_later_child: 'A revoked grant is not handed on',
    agent_not_asked: 'A call with a revoked grant does not reach the agent',
  },
  steps: [
    { do: 'mint', as: 'parent', allow: ['docs/**'] },
    { do: 'verify', grant: 'parent', rule: 'before' },
    { do: 'race', grant: 'parent', delegates: 8, rule: 'no_survivor', facts: { valid_after: 0, parent_valid: false } },
    { do: 'delegate', from: 'parent', as: 'late', allow: ['docs/**'], expect: 'refused', code: 'grant_invalid', rule: 'no_later_child' },
    { do: 'call', grant: 'parent', expect: 'refused', code: 'grant_invalid', rule: 'agent_not_asked' },
  ],
});
