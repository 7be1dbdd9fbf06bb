import { scenario } from './scenario.ts';

export const expiredGrant = scenario({
  scenario: 'expired_grant',
  title: 'Expired grant',
  summary: 'A grant that has ended opens nothing: not for its holder, not handed on, not with a call.',
  rules: {
    in_time: 'Within its time the grant is good',
    not_after: 'After its time it is refused',
    not_handed_on: 'A child is refused once its parent has ended',
    agent_not_asked: 'A call with it does not reach the agent',
  },
  steps: [
    { do: 'mint', as: 'short', allow: ['docs/**'], ttl_seconds: 60 },
    { do: 'delegate', from: 'short', as: 'child', allow: ['docs/**'], ttl_seconds: 60 },
    { do: 'verify', grant: 'short', rule: 'in_time' },
    { do: 'verify', grant: 'short', after_seconds: 120, expect: 'refused', code: 'grant_invalid', rule: 'not_after', facts: { fault: 'expired' } },
    { do: 'verify', grant: 'child', after_seconds: 120, expect: 'refused', code: 'grant_invalid', rule: 'not_handed_on' },
    { do: 'call', grant: 'short', after_seconds: 120, expect: 'refused', code: 'grant_invalid', rule: 'agent_not_asked' },
  ],
});
