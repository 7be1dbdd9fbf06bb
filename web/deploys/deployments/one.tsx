// One deployment: its stages and its log as they happen, what differs from another, and the way back to it.
import { Group, Stack, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useRead } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Facts, Loading } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import type { DeploymentOf } from './list.tsx';
import { DeployCommit, Rollback } from './redeploy.tsx';
import { isUnderWay, stageLines } from './stages.ts';
import { StageBar } from './stage-bar.tsx';
import { UnderWay } from './under-way.tsx';
import { useLog } from './use-log.ts';
import { number } from '../../kit/number.ts';

const Log = lazy(async () => ({ default: (await import('./log.tsx')).Log }));
const Card = lazy(async () => ({ default: (await import('./card.tsx')).Card }));
const Changes = lazy(async () => ({ default: (await import('./changes.tsx')).Changes }));

const route = getRouteApi('/agents/mine/$name/deployments/$deployId');

export function Deployment() {
  const { name, deployId: deploy_id } = route.useParams();
  const { view } = route.useSearch();
  const one = useRead('agents', 'deployment', { params: { name, deploy_id } }, { every: (last) => last !== undefined && isUnderWay(last.state) && 3_000 });
  const all = useRead('agents', 'deployments', { params: { name }, query: { limit: 200 } });
  // A page that a server rendered has no lines: they come once its part is taken over, or it would be drawn
  // again.
  const [follows, setFollows] = useState(view !== undefined);
  const log = useLog(name, one, follows);
  const underWayNow = isUnderWay(log.state ?? one.state);
  const underWay = all.some(({ state }) => isUnderWay(state));
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>
            Deployment {one.number}
            {one.version !== null && ` · ${one.version}`}
          </Title>
          <State of={log.state ?? one.state} />
        </Group>
        {one.state === 'failed' || one.state === 'cancelled' ? (
          <DeployCommit name={name} of={one} underWay={underWay} />
        ) : (
          <Rollback name={name} to={one} underWay={underWay} />
        )}
      </Group>
      <StageBar lines={stageLines(log.state ?? one.state, Date.parse(one.created_at), log.stages)} />
      {one.error && (
        <Facts
          of={{
            'It ended with': (
              <>
                <code>{one.error.code}</code> {one.error.message}
              </>
            ),
          }}
        />
      )}
      {underWayNow && <UnderWay one={one} waiting={log.waiting} />}
      <About one={one} />
      <Group gap="md" component="nav" aria-label="Views of this deployment">
        <ViewLink label="Log" name={name} deployId={deploy_id} here={view === undefined} />
        <ViewLink label="Changes" name={name} deployId={deploy_id} view="changes" here={view === 'changes'} />
        <ViewLink label="Card" name={name} deployId={deploy_id} view="card" here={view === 'card'} />
      </Group>
      <Suspense fallback={<Loading lines={4} />}>
        {view === 'changes' && <Changes name={name} one={one} all={all} />}
        {view === 'card' && <Card name={name} deployId={deploy_id} />}
        {view === undefined && (
          <>
            {log.error && <Failure error={log.error} />}
            <Log log={log} file={`${name}-${one.number}.log`} onDrawn={setFollows} />
          </>
        )}
      </Suspense>
    </Stack>
  );
}

function About({ one: { created_at, live_at, ended_at, source_commit, source_bytes, runs_on, warnings } }: { one: DeploymentOf }) {
  return (
    <Facts
      of={{
        Began: <When at={created_at} />,
        'Live since': live_at && <When at={live_at} />,
        Ended: ended_at && <When at={ended_at} />,
        'Runs on': runs_on,
        Commit: source_commit && <code>{source_commit}</code>,
        Source: `${number(Math.ceil(source_bytes / 1024))} KiB`,
        Lacks: warnings.length > 0 ? warnings.map(({ message }) => <div key={message}>{message}</div>) : null,
      }}
    />
  );
}

/** By what stands behind "?", too. */
const VIEW = { exact: true } as const;

function ViewLink({ label, name, deployId, view, here }: { label: string; name: string; deployId: string; view?: 'changes' | 'card'; here: boolean }) {
  return (
    <PageLink
      to="/agents/mine/$name/deployments/$deployId"
      params={{ name, deployId }}
      activeOptions={VIEW}
      search={view === undefined ? {} : { view }}
      size="sm"
      {...(here && { 'aria-current': 'page' as const, fw: 650, c: 'var(--mantine-color-text)', underline: 'always' as const })}
    >
      {label}
    </PageLink>
  );
}
