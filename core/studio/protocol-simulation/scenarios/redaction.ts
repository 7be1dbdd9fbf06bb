import { scenario } from './scenario.ts';

export const redaction = scenario({
  scenario: 'redaction',
  title: 'Redaction',
  summary: 'Secrets that were planted in the agent, its keys, and the tokens of grants and runs are in nothing that the rehearsal has written.',
  rules: {
    no_secret: 'No planted secret is in events, receipts, results, audit or logs',
    no_token: 'No token or key is in them',
  },
  steps: [
    { do: 'mint', as: 'given', allow: ['docs/**'] },
    { do: 'call', grant: 'given', expect: 'asked' },
    { do: 'call', args: 'sample', expect: 'asked' },
    { do: 'call', skill: 'no_such_skill_here', args: {}, expect: 'refused' },
    { do: 'leaks', rule: 'no_secret', facts: { secrets: 0 } },
    { do: 'leaks', rule: 'no_token', facts: { tokens: 0 } },
  ],
});
