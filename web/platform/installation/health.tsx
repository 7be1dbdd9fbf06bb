// Whether the platform can serve, what it works on, and where its operator looks when it cannot.
import { Anchor, List as Bullets, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useRead } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { List } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { OperatorPage } from '../operator-page.tsx';
import { StillOperator } from '../still-operator.tsx';
import { Machinery } from './machinery.tsx';
import { readinessQuery } from './readiness.ts';

/** The runbook of the alert about a part. */
const RUNBOOKS: Record<string, string> = { database: 'SvcDatabaseDown', temporal: 'SvcWorkflowTasksFail', migrations: 'SvcDatabaseDown' };

export function Health() {
  return (
    <OperatorPage title="Operator" lead="The health of this installation.">
      <Parts />
      <Suspense fallback={<Skeleton h={120} aria-busy role="status" aria-label="Loading" />}>
        <Machinery />
        <Places />
      </Suspense>
      <StillOperator />
    </OperatorPage>
  );
}

function Parts() {
  const { data, error, refetch } = useQuery(readinessQuery);
  return (
    <Section title="Parts" lead="As the API sees them, asked every five seconds.">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={100} aria-busy role="status" aria-label="Loading" />}
      {data && (
        <List
          label="Parts"
          pages={[{ name: 'api', works: data.ready }, ...data.parts]}
          keyOf={({ name }) => name}
          empty={<Empty title="The API names no parts." />}
          columns={[
            { head: 'Part', wide: true, cell: ({ name }) => <Text size="sm">{name === 'api' ? 'API: takes requests' : name}</Text> },
            { head: 'State', cell: ({ works }) => <State of={works ? 'works' : 'failing'} /> },
            { head: 'What to do', end: true, cell: ({ name, works }) => <Runbook alert={works ? undefined : (RUNBOOKS[name] ?? 'SvcApiDown')} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Runbook({ alert }: { alert: string | undefined }) {
  return alert ? <DocsLink to={`operating/alerts/${alert}`} label={alert} /> : <Text size="sm">–</Text>;
}

function DocsLink({ to, label }: { to: string; label: string }) {
  return (
    <Anchor component={Link} to={`/docs/${to}`} size="sm">
      {label}
    </Anchor>
  );
}

function Places() {
  const { version, agents_domain: domain, workflows_url: workflows } = useRead('installation', 'get', {});
  return (
    <>
      <Section title="Installation">
        <Facts
          of={{
            Version: version,
            'Agents answer at': <code>{`<name>.${domain}`}</code>,
            Workflows: workflows ? (
              <a href={workflows} rel="noopener noreferrer nofollow">
                {workflows}
              </a>
            ) : (
              'The address of Temporal’s Web UI is not set.'
            ),
          }}
        />
      </Section>
      <Section title="Runbooks" lead="Prometheus scrapes these values and more; each alert has a page with instructions.">
        <Bullets size="sm" spacing={4}>
          <Bullets.Item>
            <DocsLink to="operating/runbooks" label="All alerts and their pages" />
          </Bullets.Item>
          <Bullets.Item>
            <DocsLink to="operating/saved-views" label="Views in Temporal’s Web UI" />
          </Bullets.Item>
          <Bullets.Item>
            <DocsLink to="operating/settings" label="Every environment variable" />
          </Bullets.Item>
          <Bullets.Item>
            <DocsLink to="operating" label="Operate the platform" />
          </Bullets.Item>
        </Bullets>
      </Section>
    </>
  );
}
