import { scenario } from './scenario.ts';

export const wrongAudience = scenario({
  scenario: 'wrong_audience',
  title: 'Wrong audience',
  summary: 'A grant that is addressed to another agent is of no use to this one, and its own of none to another.',
  rules: {
    addressee: 'The agent it is addressed to may use it',
    nobody_else: 'No other agent may use it',
    agent_not_asked: 'A call that carries it does not reach the wrong agent',
    not_handed_on: 'Only its holder hands it on',
  },
  steps: [
    { do: 'copy' },
    { do: 'mint', as: 'others', allow: ['docs/**'], to: 'copy' },
    { do: 'verify', grant: 'others', at: 'copy', rule: 'addressee' },
    { do: 'verify', grant: 'others', at: 'agent', expect: 'refused', code: 'grant_invalid', rule: 'nobody_else' },
    { do: 'call', grant: 'others', expect: 'refused', code: 'grant_invalid', rule: 'agent_not_asked' },
    { do: 'mint', as: 'mine', allow: ['docs/**'] },
    { do: 'call', grant: 'mine', expect: 'asked', rule: 'addressee' },
    { do: 'verify', grant: 'mine', at: 'copy', expect: 'refused', code: 'grant_invalid', rule: 'nobody_else' },
    { do: 'delegate', from: 'mine', as: 'handed', allow: ['docs/**'], to: 'copy', rule: 'addressee' },
    { do: 'verify', grant: 'handed', at: 'agent', expect: 'refused', code: 'grant_invalid', rule: 'not_handed_on' },
  ],
});
