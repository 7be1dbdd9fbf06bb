// What is remembered of one goal. Its agent writes it; it is read here.
import { Anchor, List, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';

const route = getRouteApi('/agents/mine/$name/goals/$run_id');

export function Goal() {
  const { name, run_id } = route.useParams();
  const goal = useRead('metaAgentRuns', 'get', { params: { name, run_id } }, { every: (last) => (last?.ended_at === null ? 5_000 : false) });
  const { criteria, plan, progress, status, version, written_by, created_at, updated_at, ended_at } = goal;
  return (
    <Page
      title={goal.goal.length > 120 ? `${goal.goal.slice(0, 119)}…` : goal.goal}
      beside={<State of={status} />}
      crumbs={[
        { label: name, to: `/agents/mine/${name}` },
        { label: 'Goals', to: `/agents/mine/${name}/goals` },
      ]}
      lead={goal.goal.length > 120 ? goal.goal : undefined}
    >
      <Facts
        of={{
          'Goal id': <Copyable value={run_id} label="goal id" />,
          Version: version,
          'Written by': written_by === null ? 'You' : <WrittenBy runId={written_by} />,
          Began: <When at={created_at} />,
          Changed: <When at={updated_at} />,
          Ended: ended_at && <When at={ended_at} />,
        }}
      />
      <Section title="When it is reached">
        {criteria.length === 0 ? (
          <Text size="sm" c="dimmed">
            No criterion was given.
          </Text>
        ) : (
          <List size="sm">
            {criteria.map((one, at) => (
              <List.Item key={at} dir="auto" style={{ overflowWrap: 'anywhere' }}>
                {one}
              </List.Item>
            ))}
          </List>
        )}
      </Section>
      <Section title="Plan">
        <Json value={plan} label="plan" />
      </Section>
      <Section title="Progress">
        <Json value={progress} label="progress" />
      </Section>
    </Page>
  );
}

function WrittenBy({ runId }: { runId: string }) {
  return (
    <Anchor component={Link} to={`/runs/${runId}`} inherit>
      {runId}
    </Anchor>
  );
}
