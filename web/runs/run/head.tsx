// A run by its record only: for the owner of an agent that others called, and for a call that is under way.
import { Alert, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { Code, Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { duration, lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { callerWords } from '../list/words.ts';
import { RunLog } from './log/run-log.tsx';
import { ProgressLine } from './progress-line.tsx';
import { hasLinks, RunLinks } from './run-links.tsx';
import { useNow } from '../../kit/use-now.ts';

export type RunRecord = Output<'myRuns', 'get'>;

/** A plain call that its caller still waits for: nothing but its record tells of it. */
export function isUnderWay({ job_id, state, yours }: RunRecord): boolean {
  return yours && job_id === null && state === 'running';
}

/** Somebody else's: why it failed, when, and what its log says; what it took and gave is theirs. */
export function OwnerRun({ record }: { record: RunRecord }) {
  return (
    <RecordPage record={record}>
      <Text size="sm" c="dimmed">
        Input and output belong to whoever called. They are not shown to the owner of the agent.
      </Text>
      <RunLog record={record} />
    </RecordPage>
  );
}

/** What happens now: it is read again every second. */
export function CallUnderWay({ record }: { record: RunRecord }) {
  const { progress, text, input } = record;
  const part = progress?.progress == null ? undefined : Math.min(1, Math.max(0, progress.progress / (progress.total || 1)));
  return (
    <RecordPage record={record}>
      <Section title="Now">
        {progress && <ProgressLine message={progress.message} part={part} />}
        {text === '' ? !progress && <Text size="sm">It runs. It has streamed nothing yet.</Text> : <Code text={text} label="Output so far" />}
      </Section>
      {input !== null && (
        <Section title="Input">
          <Json value={input} label="Arguments" maxHeight={320} />
        </Section>
      )}
      {record.own_agent && <RunLog record={record} />}
    </RecordPage>
  );
}

function RecordPage({ record, children }: { record: RunRecord; children: React.ReactNode }) {
  const { agent, skill, state, error, version, caller, started_at, ended_at, duration_ms, run_id, trace_id, receipt_id, request_id } = record;
  const now = useNow(ended_at === null);
  return (
    <Page title={`${agent}.${skill}`} beside={<State of={state} />} crumbs={[{ label: 'Runs', to: '/runs' }]}>
      {error && (
        <Alert color={state === 'cancelled' ? 'gray' : 'red'} title={state === 'cancelled' ? 'Cancelled' : 'Failed'}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {error.message}
          </Text>
          <Text size="xs" c="dimmed" mt={4}>
            Code <code>{error.code}</code>
          </Text>
        </Alert>
      )}
      <Facts
        of={{
          Agent: (
            <PageLink to="/agents/$name" params={{ name: agent }} inherit>
              {agent}
            </PageLink>
          ),
          Version: version,
          Caller: callerWords(caller),
          Started: <When at={started_at} />,
          Duration: duration_ms === null ? lasted(started_at, null, now) : duration(duration_ms),
          Run: <Copyable value={run_id} label="run id" />,
          Trace: <Copyable value={trace_id} label="trace id" />,
          Also: hasLinks(record) && <RunLinks record={record} />,
          Request: request_id !== null && <Copyable value={request_id} label="request id" />,
          Receipt: receipt_id !== null && (
            <PageLink to="/receipts" search={{ agent, id: receipt_id }} inherit>
              {receipt_id}
            </PageLink>
          ),
        }}
      />
      {children}
    </Page>
  );
}
