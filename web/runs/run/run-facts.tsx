import { Alert, Group, Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { GEN_AI } from '#contract/wire/trace-conventions.ts';
import { Copyable } from '../../kit/copy.tsx';
import { LongText } from '../../kit/long-text.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { duration, lasted } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { WorkflowLink } from './actions/workflow-link.tsx';
import { idleTimes } from './timeline/axis.ts';
import { costOf, tokens } from './timeline/facts.ts';
import { useNow } from '../../kit/use-now.ts';
import type { RunRecord } from './head.tsx';
import { hasLinks, RunLinks } from './run-links.tsx';
import type { ShownRun } from './use-run.ts';

export function RunFacts({ runId, shown, record }: { runId: string; shown: ShownRun; record: RunRecord }) {
  const { agent, trace, run, startedAt, endedAt, isOver } = shown;
  const now = useNow(!isOver);
  const { usage, spans } = trace;
  const waited = idleTimes(spans, now).reduce((sum, { from, to }) => sum + to - from, 0);
  const version = spans[0]?.attributes[GEN_AI.agentVersion];
  return (
    <>
      {run?.error && (
        <Alert color={run.state === 'cancelled' ? 'gray' : 'red'} title={run.state === 'cancelled' ? 'It was cancelled' : 'It failed'}>
          <LongText text={run.error.message} size="sm" short={600} />
          <Text size="xs" c="dimmed" mt={4}>
            Code <code>{run.error.code}</code>
          </Text>
        </Alert>
      )}
      <Paper withBorder p="sm" component="section" aria-label="In short">
        <Group gap="lg" align="start">
          <Fact name="Agent">
            <PageLink to="/agents/$name" params={{ name: agent }} inherit>
              {agent}
            </PageLink>
            {typeof version === 'string' && ` ${version}`}
          </Fact>
          <Fact name="Began">
            <When at={startedAt} />
          </Fact>
          <Fact name="Took">
            {lasted(startedAt, endedAt, now)}
            {waited >= 1_000 && `, ${duration(waited)} of it waiting`}
          </Fact>
          {usage.input_tokens + usage.output_tokens > 0 && (
            <Fact name="Models">
              {tokens(usage.input_tokens, usage.output_tokens)}, {costOf(usage.cost_micros)}
            </Fact>
          )}
          <Fact name="Run">
            <Copyable value={runId} label="run id" />
          </Fact>
          <Fact name="Trace">
            <Copyable value={trace.trace_id} label="trace id" />
          </Fact>
          {trace.root_run_id !== runId && (
            <Fact name="Part of">
              <PageLink to="/runs/$run_id" params={{ run_id: trace.root_run_id }} inherit>
                the run that began it all
              </PageLink>
            </Fact>
          )}
          {hasLinks(record) && (
            <Fact name="Also">
              <RunLinks record={record} />
            </Fact>
          )}
          {run?.job_id && (
            <Fact name="Job">
              <PageLink to="/jobs/$job_id" params={{ job_id: run.job_id }} inherit>
                Events and children
              </PageLink>{' '}
              <WorkflowLink jobId={run.job_id} />
            </Fact>
          )}
        </Group>
      </Paper>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  );
}
