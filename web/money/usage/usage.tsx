// What language models were used for in a period, and what that cost.
import { Group, SegmentedControl, Skeleton, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { now } from '../../api/visit.ts';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { dollars } from '../../kit/dollars.ts';
import { ModelsPage } from '../models-page.tsx';
import type { UsageSearch } from '../pages.ts';
import { everyDay, lastDays, thisMonth } from './period.ts';
import { periodOf } from './reads.ts';
import { Groups, Uses } from './tables.tsx';
import { ButtonLink } from '../../kit/page-link.tsx';
import { number } from '../../kit/number.ts';

const DayChart = lazy(async () => ({ default: (await import('./day-chart.tsx')).DayChart }));
const route = getRouteApi('/models/usage');
type Sums = Output<'llmUsage', 'list'>['totals'];

export function Usage() {
  const { from, to, by = 'agent' } = route.useSearch();
  const period = periodOf({ from, to });
  const days = useRead('llmUsage', 'list', { query: { ...period, group_by: 'day', limit: 1 } });
  const grouped = useRead('llmUsage', 'list', { query: { ...period, group_by: by, limit: 1 } });
  const { totals } = days;
  const costs = everyDay(
    period,
    days.groups.map(({ key, cost_micros }) => ({ day: key ?? '', value: cost_micros })),
    0,
  );
  return (
    <ModelsPage lead="What your language models were used for, and what that cost. Days are those of UTC.">
      <Period period={period} />
      <Facts of={totalsOf(totals)} />
      {totals.calls === 0 ? (
        <Empty
          title="No model was used in this period."
          action={
            <ButtonLink to="/models" variant="light">
              Models
            </ButtonLink>
          }
          command="svc models usage"
        >
          Calls of agents that use a model of yours, and plans in the chat, are counted here.
        </Empty>
      ) : (
        <>
          <Section title="Cost per day">
            <Suspense fallback={<Skeleton h={220} />}>
              <DayChart days={costs} />
            </Suspense>
          </Section>
          <Groups by={by} groups={grouped.groups} />
          <Uses period={period} />
        </>
      )}
    </ModelsPage>
  );
}

function totalsOf({ calls, input_tokens: input, cached_input_tokens: cached, output_tokens: output, cost_micros: cost, unpriced_calls: unpriced }: Sums) {
  return {
    Cost: dollars(cost) + (unpriced > 0 ? `, without ${number(unpriced)} calls that have no price` : ''),
    Calls: number(calls),
    Input: `${number(input)} tokens, of them ${number(cached)} from the cache`,
    Output: `${number(output)} tokens`,
  };
}

function Period({ period }: { period: { from: string; to: string } }) {
  const navigate = route.useNavigate();
  const show = (change: UsageSearch): void => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const today = now();
  const known = { month: thisMonth(today), '7': lastDays(7, today), '30': lastDays(30, today), '90': lastDays(90, today) };
  const current = Object.entries(known).find(([, { from, to }]) => from === period.from && to === period.to)?.[0] ?? '';
  return (
    <Group gap="sm" align="end">
      <SegmentedControl
        aria-label="Period"
        value={current}
        data={[
          { value: 'month', label: 'This month' },
          { value: '7', label: '7 days' },
          { value: '30', label: '30 days' },
          { value: '90', label: '90 days' },
        ]}
        onChange={(name) => show(Object.entries(known).find(([one]) => one === name)?.[1] ?? {})}
      />
      <TextInput
        type="date"
        label="From"
        value={period.from}
        max={period.to}
        onChange={(event) => event.currentTarget.value && show({ ...period, from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label="To"
        value={period.to}
        min={period.from}
        onChange={(event) => event.currentTarget.value && show({ ...period, to: event.currentTarget.value })}
      />
    </Group>
  );
}
