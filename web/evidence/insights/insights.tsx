// How an agent of the reader's is used: calls, failures, latency, sleep, models, cost, and what it earned.
import { Group, SegmentedControl, Select, Skeleton, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRead } from '../../api/query.ts';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { oneIn } from '../../kit/search.ts';
import { INSIGHT_DAYS, type InsightsSearch } from '../search.ts';
import { Failures, Groups, Models, Payouts, Sleep } from './tables.tsx';
import { callsInput } from './reads.ts';
import { totalsOf } from './words.ts';

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }));
const route = getRouteApi('/agents/mine/$name/insights');
const GROUPS = ['skill', 'version', 'caller'] as const;

export function Insights() {
  const { name } = route.useParams();
  const { days = '7', by = 'skill' } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (change: InsightsSearch): void => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const insights = useRead('agentInsights', 'calls', callsInput(name, { days, by }), { every: 60_000 });
  return (
    <Stack gap="xl">
      <Section
        title="Calls"
        lead="Counted from the receipts of every call, in UTC. Durations include the time that a run waited for people; percentiles are approximate (within 20 %)."
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Days"
            value={days}
            onChange={(value) => show({ days: oneIn(INSIGHT_DAYS, value) })}
            data={INSIGHT_DAYS.map((value) => ({ value, label: value === '1' ? '1 day' : value === '365' ? '1 year' : `${value} days` }))}
          />
        }
      >
        {insights.totals.calls === 0 ? (
          <Empty title="No calls in this time." command={`svc call ${name}`}>
            Each call is counted once it has ended.
          </Empty>
        ) : (
          <Stack gap="lg">
            <Facts of={totalsOf(insights)} />
            <Suspense fallback={<Skeleton h={480} />}>
              <Charts of={insights} />
            </Suspense>
          </Stack>
        )}
      </Section>
      {insights.totals.calls > 0 && (
        <Section
          title="By"
          actions={
            <Group gap="xs">
              <Select
                size="xs"
                w={130}
                aria-label="Group calls by"
                allowDeselect={false}
                value={by}
                onChange={(value) => show({ by: oneIn(GROUPS, value) })}
                data={GROUPS.map((value) => ({ value, label: value === 'caller' ? 'Kind of caller' : value === 'skill' ? 'Skill' : 'Version' }))}
              />
            </Group>
          }
        >
          <Groups of={insights.groups} by={by} />
        </Section>
      )}
      {insights.failures.length > 0 && <Failures of={insights.failures} />}
      {insights.sleep.length > 0 && <Sleep of={insights.sleep} />}
      {insights.models.length > 0 && <Models of={insights.models} />}
      <Payouts name={name} />
    </Stack>
  );
}
