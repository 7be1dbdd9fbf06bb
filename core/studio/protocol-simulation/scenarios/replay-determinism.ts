import { scenario } from './scenario.ts';

export const replayDeterminism = scenario({
  scenario: 'replay_determinism',
  title: 'Replay determinism',
  summary: 'The same request is one run however often it is sent, and its record reads the same each time it is read.',
  rules: {
    one_run: 'Two requests with one key are one run',
    no_other_run: 'A used key does not begin a run with other arguments',
    one_receipt: 'The run ends with one receipt',
    same_record: 'Its events have no gap, read the same again, and its receipt is signed over its result',
  },
  steps: [
    { do: 'start_run', as: 'first', key: 'again', facts: { existing: false } },
    { do: 'start_run', as: 'second', key: 'again', rule: 'one_run', facts: { existing: true } },
    { do: 'same_run', one: 'first', other: 'second', rule: 'one_run' },
    {
      do: 'start_run',
      as: 'third',
      key: 'again',
      skill: 'no_such_skill_here',
      args: {},
      expect: 'refused',
      code: 'idempotency_key_reused',
      rule: 'no_other_run',
    },
    { do: 'end_run', run: 'first', rule: 'one_receipt', facts: { receipts: 1 } },
    { do: 'replay', run: 'first', rule: 'same_record', facts: { gapless: true, same_again: true, receipt_valid: true, result_as_sealed: true } },
  ],
});
