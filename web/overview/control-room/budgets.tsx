// What models and calls cost this month, and how much of each budget that is.
import { Progress, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { dollars } from '../../kit/dollars.ts';
import { number } from '../../kit/number.ts';

type Spend = Output<'controlRoom', 'get'>['spend'];
type Budget = Spend['budgets'][number];

const NAMES: Record<Budget['cap'], string> = { month: 'This month', day: 'Today', agent_day: 'Agent, today', person_day: 'Person, today', run: 'Run' };

const COLUMNS: Column<Budget>[] = [
  {
    head: 'Budget',
    wide: true,
    cell: ({ cap, of }) => (
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {NAMES[cap]}
        </Text>
        {of !== null && <Under>{of}</Under>}
      </Stack>
    ),
  },
  {
    head: 'Spent',
    end: true,
    cell: ({ spent_micros, reserved_micros }) => `${dollars(spent_micros)}${reserved_micros > 0 ? ` + ${dollars(reserved_micros)} under way` : ''}`,
  },
  { head: 'Of', end: true, cell: ({ limit_micros }) => (limit_micros === null ? 'no limit' : dollars(limit_micros)) },
  { head: 'Used', cell: (budget) => <Used of={budget} /> },
];

export function Budgets({ spend, isSet }: { spend: Spend; isSet: boolean }) {
  const { cost_micros, charged_micros, reserved_micros, unpriced_calls } = spend;
  const unpriced = unpriced_calls > 0 ? `, without ${number(unpriced_calls)} calls that have no price` : '';
  const charged = charged_micros > 0 ? `, ${dollars(charged_micros)} of it for calls of skills with a price` : '';
  const underWay = reserved_micros > 0 ? `, at most ${dollars(reserved_micros)} more under way` : '';
  return (
    <Section
      title="Spent"
      lead={`${dollars(cost_micros)} in ${spend.month}${charged}${underWay}${unpriced}.`}
      actions={
        <PageLink to="/models/usage" size="sm">
          Usage
        </PageLink>
      }
    >
      <List
        label="Budgets"
        pages={spend.budgets}
        columns={COLUMNS}
        keyOf={({ cap, of }) => `${cap}/${of ?? ''}`}
        empty={
          <Text size="sm" c="dimmed">
            {isSet ? 'No budget is in force.' : 'No policy is set, so no budget applies.'}
          </Text>
        }
      />
    </Section>
  );
}

function Used({ of: { cap, of, limit_micros, spent_micros, reserved_micros } }: { of: Budget }) {
  if (limit_micros === null) return null;
  const share = limit_micros === 0 ? 100 : Math.min(100, Math.round(((spent_micros + reserved_micros) / limit_micros) * 100));
  return (
    <Stack gap={2} miw={90}>
      <Progress
        value={share}
        color={share >= 100 ? 'red' : share >= 80 ? 'orange' : 'teal'}
        aria-label={`${NAMES[cap]}${of === null ? '' : ` ${of}`}: ${share} % used`}
      />
      <Under>{share} %</Under>
    </Stack>
  );
}
