// Every deployment of an agent, and the way back to an earlier one.
import { Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { useMine } from '../../agents/owner/frame.tsx';
import { isUnderWay } from './stages.ts';
import { DeployHead, Rollback } from './redeploy.tsx';

const route = getRouteApi('/agents/mine/$name/deployments');
const MOST = 200;

export type DeploymentOf = Output<'agents', 'deployment'>;

export function Deployments() {
  const { name } = route.useParams();
  const mine = useMine();
  const all = useRead(
    'agents',
    'deployments',
    { params: { name }, query: { limit: MOST } },
    { every: (last) => (last?.some(({ state }) => isUnderWay(state)) ? 2_000 : 30_000) },
  );
  const underWay = all.some(({ state }) => isUnderWay(state));
  return (
    <Section
      title="Deployments"
      lead="Newest first. What served before is kept and can be brought back."
      actions={mine.kind === 'hosted' && <DeployHead name={name} underWay={underWay} hasOne={all.length > 0} />}
    >
      <List
        label="Deployments"
        pages={all}
        keyOf={({ deploy_id }) => deploy_id}
        empty={
          <Empty
            title="No deployments yet."
            action={
              <ButtonLink to="/agents/mine" search={{ make: 'upload' as const }} variant="light">
                Upload a project
              </ButtonLink>
            }
            command="svc deploy"
          >
            Run it in the folder of the project.
          </Empty>
        }
        columns={[
          {
            head: 'Deployment',
            wide: true,
            cell: ({ number, deploy_id, version, error }) => (
              <>
                <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId: deploy_id }} fw={600} size="sm">
                  {number}
                </PageLink>{' '}
                <Text span size="sm">
                  {version ?? ''}
                </Text>
                {error && <Under>{error.message.slice(0, 300)}</Under>}
              </>
            ),
          },
          { head: 'State', cell: ({ state }) => <State of={state} /> },
          { head: 'Commit', cell: ({ source_commit }) => (source_commit ? <code>{source_commit.slice(0, 8)}</code> : '–') },
          { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
          { head: 'Took', cell: took },
          {
            head: 'Actions',
            end: true,
            cell: (one) => (
              <Group justify="end" wrap="nowrap">
                <Rollback name={name} to={one} underWay={underWay} size="xs" />
              </Group>
            ),
          },
        ]}
      />
      {all.length === MOST && (
        <Text size="sm" c="dimmed" mt="sm">
          The newest {MOST}.
        </Text>
      )}
    </Section>
  );
}

function took({ state, created_at, live_at, ended_at }: DeploymentOf): string {
  const end = live_at ?? ended_at;
  if (end !== null) return lasted(created_at, end);
  return isUnderWay(state) ? 'under way' : '–';
}
