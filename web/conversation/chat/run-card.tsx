// One call in a conversation: what it does at this moment, what it made, how it ended.
import { Alert, Anchor, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { pathTo } from '#contract/path-to.ts';
import { useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import type { Run } from './conversation.ts';
import { sizeOf, words } from './words.ts';
import { FaultShown } from './refusal.tsx';
import styles from './chat.module.css';
import { number } from '../../kit/number.ts';

const Preview = lazy(async () => ({ default: (await import('../../kit/preview.tsx')).Preview }));

export function RunCard({ run, waits }: { run: Run; waits: boolean }) {
  return (
    <Paper withBorder p="sm" className={styles.assistant} component="article" aria-label={`Run of ${run.agent}.${run.skill}`}>
      <RunHead run={run} waits={waits} />
      <RunBody run={run} inPlan={false} />
    </Paper>
  );
}

function RunHead({ run, waits }: { run: Run; waits: boolean }) {
  const { agent, skill, state, at, endedAt, receiptId } = run;
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs" miw={0}>
        <Anchor component={Link} to={`/agents/${encodeURIComponent(agent)}`} size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {agent}.{skill}
        </Anchor>
        <State of={waits && state === 'running' ? 'waiting' : state} />
        {endedAt && (
          <Text size="xs" c="dimmed">
            {lasted(at, endedAt)}
          </Text>
        )}
      </Group>
      <Group gap="sm">
        <Anchor component={Link} to={`/runs/${run.key}`} size="sm">
          Run
        </Anchor>
        {receiptId && (
          <Anchor component={Link} to={`/receipts/${receiptId}`} size="sm">
            Receipt
          </Anchor>
        )}
        {run.jobId !== null && state === 'running' && <CancelJob jobId={run.jobId} />}
      </Group>
    </Group>
  );
}

export function CancelJob({ jobId }: { jobId: string }) {
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['workLedger', 'dagRuns'] });
  return <Action label="Cancel" size="compact-xs" loading={cancel.isPending} onAct={() => cancel.mutate({ params: { job_id: jobId } })} />;
}

/** All but its head: also shown at a step of a plan. */
export function RunBody({ run, inPlan }: { run: Run; inPlan: boolean }) {
  const { state, said, progress, tools, artifacts, complaints, error, result, resultLength } = run;
  const isOpen = state === 'running';
  // What it wrote is often what it answers with.
  const showsText = said !== '' && (isOpen || words(result)?.trim() !== said.trim());
  return (
    <Stack gap="xs" mt="xs">
      {isOpen && progress && (
        <div>
          <Text size="sm" dir="auto">
            {progress.message}
          </Text>
          {progress.part !== null && <Progress value={progress.part * 100} aria-label="Progress" mt={4} />}
        </div>
      )}
      {tools.length > 0 && <Tools tools={tools} isOpen={isOpen} />}
      {showsText && <Markdown text={said} />}
      {complaints.map(({ code, message }, at) => (
        <Alert key={at} color="orange" p="xs" title={message}>
          <code>{code}</code>
        </Alert>
      ))}
      {artifacts.map(({ name, mime_type: type, size_bytes: size }) => (
        <figure key={name} style={{ margin: 0 }}>
          <Suspense fallback={null}>
            <Preview url={pathTo('GET /v1/agents/{name}/api/files/{path:path}', { name: run.agent, path: `${run.key}/${name}` })} name={name} type={type} />
          </Suspense>
          <Text component="figcaption" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {name}, {sizeOf(size)}
          </Text>
        </figure>
      ))}
      {resultLength !== null && (
        <Text size="sm">
          The result has {number(resultLength)} characters.{' '}
          <Anchor component={Link} to={`/runs/${run.key}`} underline="always" inherit>
            Open the run
          </Anchor>
        </Text>
      )}
      {result !== null && (inPlan || hasMore(result)) && (
        <details className={styles.details}>
          <summary>Result</summary>
          {typeof result === 'string' ? <Markdown text={result} /> : <Json value={result} label="result" />}
        </details>
      )}
      {error && <FaultShown of={error} />}
    </Stack>
  );
}

function Tools({ tools, isOpen }: { tools: Run['tools']; isOpen: boolean }) {
  return (
    <details className={styles.details} open={isOpen}>
      <summary>
        {tools.length} {tools.length === 1 ? 'tool' : 'tools'} used
      </summary>
      <ul style={{ margin: 0, paddingInlineStart: '1.2rem' }}>
        {tools.map(({ id, name, phase, summary }) => (
          <li key={id}>
            <Text size="sm" span dir="auto">
              <code>{name}</code> {phase === 'started' ? 'works' : phase} {summary}
            </Text>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Whether there is more than the text of the answer, which is shown separately. */
function hasMore(result: unknown): boolean {
  return typeof result === 'object' && result !== null && words(result) !== undefined && Object.keys(result).length > 1;
}
