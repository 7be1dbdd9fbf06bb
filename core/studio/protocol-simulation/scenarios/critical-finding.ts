import { scenario } from './scenario.ts';

export const criticalFinding = scenario({
  scenario: 'critical_finding_blocks_promotion',
  title: 'Critical finding blocks promotion',
  summary: 'While a critical finding is unanswered nothing promotes the agent; a warning does not block, and an answer ends the block.',
  rules: {
    free_before: 'Without a finding the agent may be published',
    frozen: 'With an unanswered critical finding it may not',
    answer_frees: 'Once it is answered it may',
  },
  steps: [
    { do: 'publish', rule: 'free_before' },
    { do: 'finding', severity: 'warning' },
    { do: 'publish', rule: 'free_before' },
    { do: 'finding', severity: 'critical' },
    { do: 'publish', expect: 'refused', rule: 'frozen' },
    { do: 'answer_finding' },
    { do: 'publish', rule: 'answer_frees' },
  ],
});
