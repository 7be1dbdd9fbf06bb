// How the agent stands, and what it lacks.
import { Alert, Group, Paper, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useSuspenseQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { queries, useSend } from '../../api/query.ts';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { type Mine, useMine } from './frame.tsx';
import { maybe } from './maybe.ts';
import { NextSteps } from './next-steps.tsx';
import { type Todo, todos } from './todo.ts';
import { number } from '../../kit/number.ts';

export function Overview() {
  const mine = useMine();
  const params = { name: mine.name };
  const [deployment, secrets, domains, healing, reviews, findings] = useSuspenseQueries({
    queries: [
      // Nothing is asked for where nothing is live.
      {
        ...maybe('agents', 'deployment', { params: { ...params, deploy_id: mine.live_deploy_id ?? '' } }),
        ...(mine.live_deploy_id === null && { queryFn: () => null }),
      },
      maybe('agentSecrets', 'list', { params }),
      maybe('agents', 'domains', { params }),
      maybe('agents', 'selfHealing', { params, query: { limit: 1 } }),
      maybe('agents', 'reviewRuns', { params, query: { limit: 1 } }),
      maybe('findings', 'list', { params, query: { limit: 1 } }),
    ],
  });
  const review = reviews.data?.[0] ?? null;
  const todoList = todos({
    mine,
    deployment: deployment.data,
    secrets: secrets.data,
    domains: domains.data,
    healing: healing.data,
    review,
    findings: findings.data,
  });
  return (
    <Stack gap="lg">
      {todoList.map((todo) => (
        <TodoAlert key={todo.title} todo={todo} name={mine.name} />
      ))}
      {mine.deploy_count === 0 && mine.kind !== 'imported' && (
        <Empty
          title="Nothing is deployed yet."
          action={
            <ButtonLink to="/agents/mine" search={{ make: 'upload' as const }} variant="light">
              Upload a project
            </ButtonLink>
          }
          command={`svc clone ${mine.name} && cd ${mine.name} && svc deploy`}
        >
          Deploy it from your machine, or write its source in the tab Source.
        </Empty>
      )}
      {mine.live_deploy_id !== null && <NextSteps of={mine} />}
      <Facts
        of={{
          Address: <Copyable value={mine.url} label="address" />,
          'Live version': deployment.data && (
            <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ ...params, deployId: deployment.data.deploy_id }} inherit>
              {mine.version ?? 'no version'}, deployment {deployment.data.number}
            </PageLink>
          ),
          'Live since': deployment.data?.live_at && <When at={deployment.data.live_at} />,
          Skills: mine.skills.length > 0 ? mine.skills.slice(0, 40).join(', ') : null,
          Listed: mine.visibility === 'public' ? 'public: in the registry' : 'unlisted: reachable by name only',
          'Answered calls': number(mine.call_count),
          'Newest review': review && (
            <Group gap="xs">
              <State of={review.status} />
              <PageLink to="/agents/mine/$name/reviews" params={params} inherit>
                {review.summary || 'See it'}
              </PageLink>
            </Group>
          ),
          Domains:
            domains.data && domains.data.length > 0
              ? domains.data.map(({ hostname, display_name, state }) => (
                  <Group gap="xs" key={hostname}>
                    {display_name} <State of={state} />
                  </Group>
                ))
              : null,
          'Self-healing': healing.data && (healing.data.policy?.enabled ? `on, ${healing.data.repairs_today} repairs in 24 hours` : 'off'),
          Registered: <When at={mine.created_at} />,
        }}
      />
      {mine.imported && <Imported imported={mine.imported} />}
      <Retire mine={mine} />
    </Stack>
  );
}

function TodoAlert({ todo: { grave, title, text, to, deployId }, name }: { todo: Todo; name: string }) {
  const look = { size: 'sm', 'aria-label': `Look at it: ${title}`, c: 'var(--mantine-color-text)', underline: 'always' } as const;
  return (
    <Alert color={grave ? 'red' : 'orange'} icon={grave ? <IconAlertTriangle size={18} /> : <IconInfoCircle size={18} />} title={title}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }} miw={0}>
          {text?.slice(0, 1_000)}
        </Text>
        {deployId !== undefined && (
          <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId }} {...look}>
            Look at it
          </PageLink>
        )}
        {to !== undefined && (
          <PageLink to={`/agents/mine/$name/${to}`} params={{ name }} {...look}>
            Look at it
          </PageLink>
        )}
      </Group>
    </Alert>
  );
}

function Imported({ imported }: { imported: NonNullable<Mine['imported']> }) {
  const { url, endpoint, protocol, protocol_version, probed_at, answered_at, unanswered_since, changes, changed_at } = imported;
  return (
    <Section title="Where it runs">
      <Facts
        of={{
          'Imported from': url,
          'Calls go to': endpoint === url ? null : endpoint,
          Protocol: `${protocol} ${protocol_version}`,
          'Asked for its card': <When at={probed_at} />,
          'Last answered': <When at={answered_at} />,
          'Silent since': unanswered_since && <When at={unanswered_since} />,
          'Its card changed': changed_at && <When at={changed_at} />,
          'What changed': changes.length > 0 ? changes.slice(0, 30).map((change) => <div key={change}>{change}</div>) : null,
        }}
      />
    </Section>
  );
}

function Retire({ mine }: { mine: Mine }) {
  const navigate = useNavigate();
  const retire = useSend('agents', 'delete', {
    done: `${mine.name} is retired.`,
    // The pages of what is gone are not read again.
    refresh: [],
    onDone: () => {
      void navigate({ to: '/agents/mine' });
      for (const route of ['mine', 'mineSummary', 'list']) void queries().invalidateQueries({ queryKey: ['agents', route] });
    },
  });
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <div>
          <Text fw={600}>Retire this agent</Text>
          <Text size="sm" c="dimmed">
            It stops at once. Its receipts stay, and its name stays yours.
          </Text>
        </div>
        <AskingAction
          label="Retire"
          color="red"
          variant="light"
          question={`Retire ${mine.name}?`}
          typed={mine.name}
          loading={retire.isPending}
          onAct={() => retire.mutate({ params: { name: mine.name } })}
        >
          It stops at once: calls of it fail, and its domains, tokens and secrets are gone. This cannot be undone.
        </AskingAction>
      </Group>
    </Paper>
  );
}
