// What a run did: when, with what, what came of it, what it may touch, and the proof.
import { Stack, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Loading, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { WaitCard, type Waiting } from '../../pauses/wait/wait-card.tsx';
import { useRead } from '../../api/query.ts';
import { RunActions } from './actions/run-actions.tsx';
import { CallUnderWay, isUnderWay, OwnerRun, type RunRecord } from './head.tsx';
import { RunLog } from './log/run-log.tsx';
import { Now } from './now.tsx';
import { RunFacts } from './run-facts.tsx';
import { RUN_TABS, type RunTab } from './run-search.ts';
import { tabScripts } from './tabs.ts';
import { Timeline } from './timeline/timeline.tsx';
import { type ShownRun, useRun } from './use-run.ts';

const EventList = lazy(async () => ({ default: (await tabScripts.events()).EventList }));
const InputOutput = lazy(async () => ({ default: (await tabScripts.data()).InputOutput }));
const Artifacts = lazy(async () => ({ default: (await tabScripts.files()).Artifacts }));
const RunGrants = lazy(async () => ({ default: (await tabScripts.grants()).RunGrants }));
const RunReceipt = lazy(async () => ({ default: (await tabScripts.receipt()).RunReceipt }));

const LABELS: Record<RunTab, string> = {
  timeline: 'Timeline',
  events: 'Events',
  data: 'Input and output',
  files: 'Files',
  grants: 'Grants',
  receipt: 'Receipt',
};

const route = getRouteApi('/runs/$run_id');

export function RunPage() {
  const { run_id: runId } = route.useParams();
  // Another run begins with nothing of this one.
  return <ByReader key={runId} runId={runId} />;
}

function ByReader({ runId }: { runId: string }) {
  const record = useRead('myRuns', 'get', { params: { run_id: runId } }, { every: (last) => (last && isUnderWay(last) ? 1_000 : false) });
  if (!record.yours) return <OwnerRun record={record} />;
  return isUnderWay(record) ? <CallUnderWay record={record} /> : <OneRun runId={runId} record={record} />;
}

function OneRun({ runId, record }: { runId: string; record: RunRecord }) {
  const shown = useRun(runId);
  const { tab = 'timeline' } = route.useSearch();
  const navigate = route.useNavigate();
  const { agent, skill, state, run } = shown;
  const open = (value: string | null): void => {
    const next = RUN_TABS.find((one) => one === value);
    if (next) void navigate({ search: (before) => ({ ...before, tab: next === 'timeline' ? undefined : next }), replace: true, resetScroll: false });
  };
  return (
    <Page
      title={`${agent}.${skill}`}
      beside={<State of={state} />}
      crumbs={[{ label: 'Runs', to: '/runs' }]}
      actions={<RunActions runId={runId} shown={shown} />}
    >
      <RunFacts runId={runId} shown={shown} record={record} />
      {record.own_agent && state === 'failed' && <RunLog record={record} />}
      {run && run.waits.length > 0 && (
        <Section title={waitsTitle(run.waits)}>
          <Stack maw={820}>
            {run.waits.map((wait) => (
              <WaitCard key={wait.wait_id} wait={{ ...wait, agent, skill, run_id: runId }} />
            ))}
          </Stack>
        </Section>
      )}
      {!shown.isOver && run?.job_id != null && <Now shown={shown} />}
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List mb="md">
          {RUN_TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Suspense fallback={<Loading lines={4} />}>
            <Panel tab={tab} runId={runId} shown={shown} record={record} />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Panel({ tab, runId, shown, record }: { tab: RunTab; runId: string; shown: ShownRun; record: RunRecord }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const onSearch = (next: Partial<typeof search>): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  switch (tab) {
    case 'events':
      return <EventList of={shown.events} kinds={search.kinds} event={search.event} onSearch={onSearch} noEvents={noEvents(shown)} />;
    case 'data':
      return <InputOutput runId={runId} shown={shown} record={record} />;
    case 'files':
      return <Artifacts runId={runId} shown={shown} />;
    case 'grants':
      return <RunGrants shown={shown} />;
    case 'receipt':
      return <RunReceipt runId={runId} shown={shown} />;
    default:
      return <Timeline trace={shown.trace} search={search} onSearch={onSearch} />;
  }
}

function noEvents({ run }: ShownRun): string | undefined {
  return run?.job_id == null ? 'A plain call has no event log. What it streamed is under Input and output, where it is kept.' : undefined;
}

function waitsTitle(waits: readonly Pick<Waiting, 'recipient'>[]): string {
  if (waits.every(({ recipient }) => recipient?.you === false)) return 'Waiting for others';
  return waits.length === 1 ? 'Needs your answer' : `Needs ${waits.length} answers`;
}
