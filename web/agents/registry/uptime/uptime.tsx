// How the agent answered when it was looked at. Each bar says its times and counts when one points at it; the
// outages are listed in words.
import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import { read } from '../../../api/query.ts';
import { useInBrowser } from '../../../kit/in-browser.ts';
import { Section } from '../../../kit/page.tsx';
import { lasted } from '../../../kit/time.ts';
import { When } from '../../../kit/when.tsx';
import { type Bar, barsOf, type Outage, outagesOf, shareOf, type Uptime as Read } from './bars.ts';
import styles from './uptime.module.css';
import { number } from '../../../kit/number.ts';

const MOST_OUTAGES = 5;

export function Uptime({ name }: { name: string }) {
  const { data } = useQuery(read('agents', 'uptime', { params: { name } }));
  // What is not known yet takes no room: it is the last of the page's facts, and most look at it seldom.
  if (!data || data.hours.length === 0) return null;
  return <Shown of={data} />;
}

function Shown({ of }: { of: Read }) {
  const outages = outagesOf(of.changes);
  return (
    <Section title="Uptime" lead="How the agent answered when the platform checked. A sleeping agent counts as available.">
      <Paper withBorder p="md">
        <Stack gap="md">
          <Bars label="Last 48 hours" bars={barsOf(of, 48, 1)} />
          <Bars label="Last 30 days" bars={barsOf(of, 30, 24)} />
          <Outages of={outages} />
        </Stack>
      </Paper>
    </Section>
  );
}

function Bars({ label, bars }: { label: string; bars: Bar[] }) {
  const share = shareOf(bars);
  const inBrowser = useInBrowser();
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">{label}</Text>
        <Text size="sm" fw={600}>
          {share ?? 'not checked'}
        </Text>
      </Group>
      <div className={styles.bars} role="img" aria-label={`${label}: ${share === undefined ? 'nobody looked' : `well in ${share} of looks`}`}>
        {bars.map((bar) => (
          <span key={bar.from} className={styles.bar} data-hint={inBrowser ? inWords(bar) : undefined} data-state={stateOf(bar)} style={partOf(bar)} />
        ))}
      </div>
    </div>
  );
}

// Safe: a custom property of CSS, which React's type does not name.
const partOf = ({ well, looks }: Bar): CSSProperties => ({ '--well': well / Math.max(1, looks) }) as CSSProperties;

function stateOf({ looks, well }: Bar): 'none' | 'well' | 'part' | 'down' {
  if (looks === 0) return 'none';
  return well === looks ? 'well' : well === 0 ? 'down' : 'part';
}

let zoned: Intl.DateTimeFormat | undefined;
function inWords({ from, to, looks, well }: Bar): string {
  zoned ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  const when = zoned.formatRange(from, to);
  if (looks === 0) return `${when}: not checked`;
  return `${when}: ${number(well)} of ${number(looks)} checks passed`;
}

function Outages({ of }: { of: Outage[] }) {
  if (of.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No outage was seen in this time.
      </Text>
    );
  return (
    <ul className={styles.outages} aria-label="Outages">
      {of.slice(0, MOST_OUTAGES).map(({ from, to, reason }) => (
        <li key={from}>
          <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
            <When at={from} />
            {to === null ? ', not over' : `, for ${lasted(from, to)}`}
          </Text>
          <Text size="xs" c="dimmed" component="div" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {reason}
          </Text>
        </li>
      ))}
    </ul>
  );
}
