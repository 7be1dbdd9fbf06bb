// The account in figures: calls of its agents, failures, durations and what was spent, over the time that the
// address names.
import { Group, Paper, SimpleGrid, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { dollars } from '../../kit/dollars.ts';
import { number } from '../../kit/number.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Section } from '../../kit/page.tsx';
import { duration } from '../../kit/time.ts';
import { Bars, Lines } from './chart.tsx';
import styles from './figures.module.css';
import { OVERVIEW_WINDOWS, overviewOf, type OverviewWindow } from './queries.ts';

type Figures = Output<'accountOverview', 'get'>;

const route = getRouteApi('/');
const NAMES: Record<OverviewWindow, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };
const CENT = 10_000;

const lasting = (ms: number | null): string => (ms === null ? 'none' : duration(ms));
/** To the cent, where it is one at least. */
const spent = (micros: number): string => dollars(micros < CENT ? micros : Math.round(micros / CENT) * CENT);

export function AccountFigures() {
  const { window = '24h' } = route.useSearch();
  const { totals, series } = useRead('accountOverview', 'get', overviewOf(window), { every: refreshInterval(30_000) });
  const over = `over the last ${NAMES[window]}`;
  const of = (value: (one: Figures['series'][number]) => number | null): (number | null)[] => series.map(value);
  const rate = totals.calls === 0 ? 'no calls' : `${((100 * totals.failed) / totals.calls).toFixed(1).replace(/\.0$/, '')} % of calls`;
  return (
    <Section title="Your agents" actions={<Windows at={window} />}>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm">
        <Tile name="Calls" value={number(totals.calls)} under={`${number(totals.calls - totals.failed)} without an error`}>
          <Bars label={`Calls ${over}: ${number(totals.calls)}`} values={of(({ calls }) => calls)} />
        </Tile>
        <Tile name="Errors" value={number(totals.failed)} under={rate}>
          <Bars label={`Failed calls ${over}: ${number(totals.failed)}, ${rate}`} values={of(({ failed }) => failed)} kind="bad" />
        </Tile>
        <Tile name="Duration p50" value={lasting(totals.p50_ms)} under={`p95 ${lasting(totals.p95_ms)}`}>
          <Lines
            label={`Duration ${over}: p50 ${lasting(totals.p50_ms)}, p95 ${lasting(totals.p95_ms)}`}
            values={[of(({ p50_ms }) => p50_ms), of(({ p95_ms }) => p95_ms)]}
          />
        </Tile>
        <Tile name="Spent" value={spent(totals.cost_micros)} under="models and priced calls">
          <Bars label={`Spent ${over}: ${spent(totals.cost_micros)}`} values={of(({ cost_micros }) => cost_micros)} kind="money" />
        </Tile>
      </SimpleGrid>
    </Section>
  );
}

function Tile({ name, value, under, children }: { name: string; value: string; under: string; children: ReactNode }) {
  return (
    <Paper withBorder p="sm" className={styles.tile ?? ''}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz={24} fw={650} lh={1.25}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {under}
      </Text>
      {children}
    </Paper>
  );
}

function Windows({ at }: { at: OverviewWindow }) {
  return (
    <Group gap={4} component="nav" aria-label="Time">
      {OVERVIEW_WINDOWS.map((window) => (
        <PageLink
          key={window}
          to="/"
          search={window === '24h' ? {} : { window }}
          size="sm"
          underline="never"
          className={styles.window ?? ''}
          activeOptions={{ exact: true }}
          resetScroll={false}
          {...(window === at && { 'aria-current': 'page' as const })}
        >
          {NAMES[window]}
        </PageLink>
      ))}
    </Group>
  );
}
