// A planned team, to be started as it is, or to be planned again.
import { Button, Group, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

type Plan = Output<'collectiveRuntime', 'plan'>;

const MEMBERS: Column<Plan['members'][number]>[] = [
  {
    head: 'Who',
    wide: true,
    cell: ({ agent, skill, reason, others }) => (
      <>
        {agent}.{skill}
        <Under>{reason}</Under>
        {others.length > 0 && <Under>When it fails: {others.map((other) => `${other.agent}.${other.skill}`).join(', ')}</Under>}
      </>
    ),
  },
  { head: 'Role', cell: ({ role }) => role },
  { head: 'Routing', cell: ({ routing_state }) => <State of={routing_state} /> },
];

const NODES: Column<Plan['nodes'][number]>[] = [
  { head: 'Step', cell: ({ number, step }) => `${number}. ${step}` },
  { head: 'Who', wide: true, cell: ({ agent, skill }) => `${agent}.${skill}` },
  { head: 'After', cell: ({ depends_on }) => depends_on.join(', ') },
  { head: 'Gate', cell: ({ gate, may_fail }) => (gate ? 'You open it' : may_fail ? 'May fail' : '') },
];

export function Planned({ plan, onAgain }: { plan: Plan; onAgain: () => void }) {
  const navigate = useNavigate();
  const start = useSend('collectiveRuntime', 'start', {
    done: 'Started.',
    refresh: ['collectiveRuntime'],
    onDone: ({ dag_run_id }) => void navigate({ to: '/teams/$dag_run_id', params: { dag_run_id } }),
  });
  return (
    <>
      <Facts
        of={{
          Goal: plan.goal,
          Protocol: inWords(plan.protocol),
          Budget: `$${(plan.budget_cents / 100).toFixed(2)}`,
          Replacements: plan.replans,
          'Can be started until': <When at={plan.expires_at} />,
        }}
      />
      {plan.missing.length > 0 && <Text>No agent was found for: {plan.missing.join(', ')}. Name a member, or allow a lower risk.</Text>}
      <Section title="Members">
        <List
          label="Members"
          pages={plan.members}
          columns={MEMBERS}
          keyOf={({ role, agent }) => `${role} ${agent}`}
          empty={<Text c="dimmed">No members.</Text>}
        />
      </Section>
      <Section title="Steps">
        <List label="Steps" pages={plan.nodes} columns={NODES} keyOf={({ number }) => `${number}`} empty={<Text c="dimmed">None.</Text>} />
      </Section>
      <Group>
        <Button disabled={plan.missing.length > 0} loading={start.isPending} onClick={() => start.mutate({ body: { plan_id: plan.plan_id } })}>
          Start
        </Button>
        <Button variant="default" onClick={onAgain}>
          Plan again
        </Button>
      </Group>
    </>
  );
}
