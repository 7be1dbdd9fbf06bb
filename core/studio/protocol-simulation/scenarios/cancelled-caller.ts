import { scenario } from './scenario.ts';

export const cancelledCaller = scenario({
  scenario: 'cancelled_caller',
  title: 'Cancelled caller',
  summary: 'A caller that leaves before the answer ends its call, once, and takes nothing else with it.',
  rules: {
    ends: 'The call ends as cancelled with one receipt',
    still_serves: 'The agent still answers',
  },
  steps: [
    { do: 'call', caller: 'gone', expect: 'cancelled', rule: 'ends', facts: { receipts: 1, receipt_status: 'cancelled' } },
    { do: 'call', expect: 'asked', rule: 'still_serves', facts: { receipts: 1 } },
  ],
});
