import { scenario } from './scenario.ts';

export const unknownSkill = scenario({
  scenario: 'unknown_skill',
  title: 'Unknown skill',
  summary: 'A skill that the card does not name is refused, by the platform and by the agent itself.',
  rules: {
    not_started: 'No run of it begins',
    refused_by_agent: 'The agent refuses it and the refusal leaves a receipt',
    still_serves: 'The agent still answers',
  },
  steps: [
    { do: 'start_run', as: 'none', skill: 'no_such_skill_here', args: {}, expect: 'refused', code: 'skill_not_found', rule: 'not_started' },
    {
      do: 'call',
      skill: 'no_such_skill_here',
      args: {},
      expect: 'refused',
      code: 'skill_not_found',
      rule: 'refused_by_agent',
      facts: { receipts: 1, receipt_status: 'error' },
    },
    { do: 'call', expect: 'asked', rule: 'still_serves' },
  ],
});
