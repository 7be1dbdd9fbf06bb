// What all accounts used in a period, and what the platform funded.
import { Group, Skeleton, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRead } from '../../api/query.ts';
import { now } from '../../api/visit.ts';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { dollars } from '../../kit/dollars.ts';
import { everyDay, thisMonth } from '../../money/usage/period.ts';
import { OperatorPage } from '../operator-page.tsx';
import { Money } from './money.tsx';
import { number } from '../../kit/number.ts';

const DayChart = lazy(async () => ({ default: (await import('../../money/usage/day-chart.tsx')).DayChart }));
const route = getRouteApi('/operator/billing');

export function Billing() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const period = { ...thisMonth(now()), ...search };
  const { models, days, funded, overrides_in_force: overrides, ...money } = useRead('admin', 'billingMetrics', { query: period });
  const costs = everyDay(
    period,
    days.map(({ day, cost_micros: value }) => ({ day, value })),
    0,
  );
  const show = (change: { from?: string; to?: string }): void => void navigate({ search: { ...period, ...change }, replace: true });
  return (
    <OperatorPage title="Billing" lead="What accounts paid, use of language models, and calls that the platform funds. Days are those of UTC.">
      <Group gap="sm">
        <TextInput
          type="date"
          label="From"
          value={period.from}
          max={period.to}
          onChange={(event) => event.currentTarget.value && show({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label="To"
          value={period.to}
          min={period.from}
          onChange={(event) => event.currentTarget.value && show({ to: event.currentTarget.value })}
        />
      </Group>
      <Money of={money} />
      <Section title="Language models">
        <Facts
          of={{
            Cost: dollars(models.cost_micros) + (models.unpriced_calls > 0 ? `, without ${number(models.unpriced_calls)} calls that have no price` : ''),
            Calls: number(models.calls),
            Accounts: number(models.accounts),
            Tokens: `${number(models.input_tokens)} in, ${number(models.output_tokens)} out`,
          }}
        />
      </Section>
      <Section title="Cost per day">
        {days.length === 0 ? (
          <Empty title="Nothing was used in this period." />
        ) : (
          <Suspense fallback={<Skeleton h={220} />}>
            <DayChart days={costs} />
          </Suspense>
        )}
      </Section>
      <Section title="Funded calls" lead="Since the beginning, whatever the period.">
        <Facts
          of={{
            Calls: number(funded.calls),
            Accounts: number(funded.accounts),
            Agents: number(funded.agents),
            'Overrides in force': number(overrides),
          }}
        />
      </Section>
    </OperatorPage>
  );
}
