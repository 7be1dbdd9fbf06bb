// For how long the account's calls keep what they took and gave.
import { NativeSelect } from '@mantine/core';
import { useRead, useSend } from '../../api/query.ts';
import { Section } from '../../kit/page.tsx';

const DAYS = [
  { value: '0', label: 'Not at all' },
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
];

export function RunContents() {
  const { days } = useRead('myRuns', 'keeping', {});
  const keeping = useSend('myRuns', 'keep', { done: 'Saved.' });
  const keep = (value: string): void => {
    const chosen = ([0, 1, 7, 30] as const).find((one) => String(one) === value);
    if (chosen !== undefined) keeping.mutate({ body: { days: chosen } });
  };
  return (
    <Section title="Input and output of calls" lead="Only you can read them, on the page of each run. Receipts stay. In PII-safe mode nothing is kept.">
      <NativeSelect
        label="Keep input and output for"
        maw="16rem"
        data={DAYS}
        value={String(days)}
        disabled={keeping.isPending}
        onChange={({ currentTarget }) => keep(currentTarget.value)}
      />
    </Section>
  );
}
