import { Anchor, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { myAgents, SHOWN_AGENTS as SHOWN } from './queries.ts';

export function MyAgents() {
  const agents = useRead('agents', 'mine', myAgents, { every: refreshInterval(15_000) });
  return (
    <Section
      title="My agents"
      actions={
        <>
          {agents.length > 0 && (
            <PageLink to="/agents/mine" search={{ make: 'template' as const }} size="sm">
              Create an agent
            </PageLink>
          )}
          <AllOfMine hasMore={agents.length > SHOWN} />
        </>
      }
    >
      <List
        label="My agents"
        pages={agents.slice(0, SHOWN)}
        keyOf={({ name }) => name}
        empty={
          <Empty
            title="You have no agents yet."
            action={
              <ButtonLink to="/agents/mine" search={{ make: 'template' as const }} variant="light">
                Create an agent
              </ButtonLink>
            }
            command="svc init hello && cd hello && svc deploy"
          >
            A class with typed skills is all that an agent needs.
          </Empty>
        }
        columns={[
          {
            head: 'Agent',
            wide: true,
            cell: ({ name, version, out_of_service: out, last_deployment: last }) => (
              <>
                <Anchor component={Link} to={`/agents/mine/${encodeURIComponent(name)}`} size="sm" fw={600}>
                  {name}
                </Anchor>
                <Under>
                  {out ? `Out of service: ${out.reason.slice(0, 200)}` : last?.error ? last.error.message.slice(0, 200) : (version ?? 'not deployed')}
                </Under>
              </>
            ),
          },
          {
            head: 'State',
            end: true,
            cell: ({ state, out_of_service: out, last_deployment: last }) => (
              <Group gap={4} justify="end">
                {out ? <State of="failing" label="out of service" /> : <State of={state} />}
                {last?.state === 'failed' && state === 'live' && <State of="failed" label="last deployment failed" />}
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}

function AllOfMine({ hasMore }: { hasMore: boolean }) {
  return (
    <Anchor component={Link} to="/agents/mine" size="sm">
      {hasMore ? 'All of them' : 'Manage'}
    </Anchor>
  );
}
