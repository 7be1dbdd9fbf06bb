// How many runs passed which rule, version by version.
import { Group, Progress, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { percent } from './words.ts';
import { number } from '../../kit/number.ts';

type Version = Output<'evaluations', 'summary'>['versions'][number];
const DAYS = ['1', '7', '30', '90'] as const;

export function Scores({ name }: { name: string }) {
  const [days, setDays] = useState('7');
  const { versions } = useRead('evaluations', 'summary', { params: { name }, query: { days: Number(days) } }, { every: 30_000 });
  return (
    <Section
      title="Scores"
      lead="Of runs that ended in these days; a run is scored half a minute after its end."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Days"
          value={days}
          onChange={setDays}
          data={DAYS.map((value) => ({ value, label: value === '1' ? '1 day' : `${value} days` }))}
        />
      }
    >
      {versions.length === 0 ? (
        <Empty title="No run was scored." command={`svc rules set ${name} quick --max-ms 2000`}>
          Make a rule; runs that end from then on are scored.
        </Empty>
      ) : (
        <Stack gap="lg">
          {versions.map((version) => (
            <OfVersion key={version.deploy_id} name={name} version={version} />
          ))}
        </Stack>
      )}
    </Section>
  );
}

function OfVersion({ name, version: { deploy_id, number: deployment, version, live, rules, thumbs } }: { name: string; version: Version }) {
  return (
    <article aria-label={`Deployment ${deployment}`}>
      <Group gap="xs" mb={4}>
        <Title order={3}>
          <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId: deploy_id }} inherit>
            {version ?? 'no version'}, deployment {deployment}
          </PageLink>
        </Title>
        {live && <State of="live" />}
        <Text size="sm" c="dimmed">
          {thumbs.up + thumbs.down === 0 ? 'no caller said anything' : `callers: ${thumbs.up} good, ${thumbs.down} bad`}
        </Text>
      </Group>
      <List
        label={`Rules of deployment ${deployment}`}
        pages={rules}
        keyOf={({ rule }) => rule}
        empty={<Text size="sm">No rule scored a run of it.</Text>}
        columns={[
          { head: 'Rule', wide: true, cell: ({ rule }) => <code>{rule}</code> },
          {
            head: 'Passed',
            cell: ({ passed, scored, rule }) => (
              <Group gap="xs" wrap="nowrap">
                <Progress
                  value={scored === 0 ? 0 : (100 * passed) / scored}
                  w={90}
                  color={passed === scored ? 'teal' : 'orange'}
                  aria-label={`${rule}: passed`}
                />
                {percent(passed, scored)}
              </Group>
            ),
          },
          { head: 'Runs', end: true, cell: ({ scored }) => number(scored) },
          { head: 'Average', end: true, cell: ({ average }) => (average === null ? '–' : average.toFixed(2)) },
          {
            head: 'Some that failed',
            cell: ({ failed_runs }) =>
              failed_runs.slice(0, 3).map((run) => (
                <div key={run}>
                  <code>{run}</code>
                </div>
              )),
          },
        ]}
      />
    </article>
  );
}
