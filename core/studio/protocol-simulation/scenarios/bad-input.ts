import { scenario } from './scenario.ts';

export const badInput = scenario({
  scenario: 'bad_input',
  title: 'Bad input',
  summary: 'Arguments that do not fit the schema of a skill are refused before its code sees them, with a receipt.',
  rules: {
    not_started: 'No run begins with them',
    refused: 'The agent refuses them before its code runs, and the refusal leaves a receipt',
    still_serves: 'The agent still answers',
  },
  steps: [
    { do: 'start_run', as: 'none', args: 'invalid', expect: 'refused', code: 'invalid_input', rule: 'not_started' },
    { do: 'call', args: 'invalid', expect: 'refused', code: 'skill_input_error', rule: 'refused', facts: { receipts: 1, receipt_status: 'error' } },
    { do: 'call', expect: 'asked', rule: 'still_serves' },
  ],
});
