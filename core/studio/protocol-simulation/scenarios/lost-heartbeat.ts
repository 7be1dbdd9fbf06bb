import { scenario } from './scenario.ts';

export const lostHeartbeat = scenario({
  scenario: 'lost_heartbeat',
  title: 'Lost heartbeat',
  summary: 'The process that holds a call falls silent: the platform ends the call once, and a late answer changes nothing.',
  rules: {
    ended_once: 'The call gets one receipt, which says that it was lost',
    late_changes_nothing: 'An answer that comes after that finds the same receipt',
    still_serves: 'The agent still answers',
  },
  steps: [
    { do: 'lose_caller', expect: 'lost', rule: 'ended_once', facts: { receipts: 1, error_code: 'call_lost' } },
    { do: 'lose_caller', expect: 'lost', rule: 'late_changes_nothing', facts: { receipts_after_late_answer: 1, late_answer_finds_it: true } },
    { do: 'call', expect: 'asked', rule: 'still_serves' },
  ],
});
