// What rules found in the source and the card of what was deployed.
import { Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';

const route = getRouteApi('/agents/mine/$name/reviews');
type Review = Output<'agents', 'reviewRun'>;

const SEVERITY = { critical: 'failed', warning: 'warning', info: 'info' } as const;

export function Reviews() {
  const { name } = route.useParams();
  const { review: wanted } = route.useSearch();
  const all = useRead(
    'agents',
    'reviewRuns',
    { params: { name }, query: { limit: 100 } },
    { every: (last) => (last?.some(({ status }) => status === 'queued' || status === 'running') ? 3_000 : 60_000) },
  );
  const shown = all.find(({ review_id }) => review_id === wanted) ?? all[0];
  return (
    <Stack gap="xl">
      {shown && <Findings name={name} review={shown} />}
      <Section title="Reviews" lead="Each version is reviewed once it is live. A review never holds up a deployment.">
        <List
          label="Reviews"
          pages={all}
          keyOf={({ review_id }) => review_id}
          empty={<Empty title="No reviews yet.">Each version is reviewed once it is live.</Empty>}
          columns={[
            {
              head: 'Of',
              wide: true,
              cell: ({ review_id, ref, summary, created_at }) => (
                <>
                  <PageLink
                    to="/agents/mine/$name/reviews"
                    params={{ name }}
                    search={{ review: review_id }}
                    size="sm"
                    {...(review_id === shown?.review_id && { fw: 650 })}
                  >
                    {ref === null ? <When at={created_at} /> : `commit ${ref.slice(0, 8)}`}
                  </PageLink>
                  {summary && <Under>{summary}</Under>}
                </>
              ),
            },
            { head: 'Verdict', cell: ({ status }) => <State of={status} /> },
            { head: 'Critical', end: true, cell: ({ critical_count }) => critical_count },
            { head: 'Warnings', end: true, cell: ({ warning_count }) => warning_count },
            { head: 'Notes', end: true, cell: ({ info_count }) => info_count },
            { head: 'Done', end: true, cell: ({ ended_at }) => (ended_at === null ? '–' : <When at={ended_at} />) },
          ]}
        />
      </Section>
    </Stack>
  );
}

function Findings({ name, review: { status, summary, findings, error, deploy_id } }: { name: string; review: Review }) {
  return (
    <Section
      title="Findings"
      lead={
        <>
          {summary} Of{' '}
          <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId: deploy_id }} inherit underline="always">
            this deployment
          </PageLink>
          .
        </>
      }
      actions={<State of={status} />}
    >
      {error && <Text size="sm">{error.message}</Text>}
      <List
        label="Findings"
        pages={findings}
        keyOf={({ hash, line }) => `${hash} ${line}`}
        empty={<Empty title={status === 'passed' ? 'Nothing was found.' : 'No findings.'} />}
        columns={[
          {
            head: 'Severity',
            cell: ({ severity, accepted }) => (
              <State of={accepted === null ? SEVERITY[severity] : 'accepted'} label={accepted === null ? severity : 'accepted'} />
            ),
          },
          {
            head: 'Finding',
            wide: true,
            cell: ({ title, message, rule, accepted }) => (
              <>
                <Text size="sm" fw={600} dir="auto">
                  {title}
                </Text>
                <Text size="sm" dir="auto">
                  {message}
                </Text>
                <Under>
                  Rule <code>{rule}</code>
                  {accepted !== null && <>. Accepted: {accepted}</>}
                </Under>
              </>
            ),
          },
          {
            head: 'Where',
            cell: ({ path, line }) =>
              path === null ? (
                'the card'
              ) : (
                <Group gap={4}>
                  <PageLink to="/agents/mine/$name/source" params={{ name }} search={{ file: path }} size="sm" ff="monospace">
                    {path}
                    {line !== null && `:${line}`}
                  </PageLink>
                </Group>
              ),
          },
        ]}
      />
    </Section>
  );
}
