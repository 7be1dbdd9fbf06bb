import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Code, Json } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import type { RunRecord } from './head.tsx';
import { type ShownRun, useRunInput } from './use-run.ts';

/** Side by side. */
export function InputOutput({ runId, shown, record }: { runId: string; shown: ShownRun; record: RunRecord }) {
  const { data: input, error } = useRunInput(runId);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="Input">
        {error && <Failure error={error} />}
        {input?.args && <Json value={input.args} label="Arguments" maxHeight={560} />}
        {input && !input.args && <NotStored record={record} sha256={input.input_sha256} />}
      </Section>
      <Section title="Output">
        <Output shown={shown} record={record} />
        {record.text !== '' && <Code text={record.text} label="Streamed text" />}
      </Section>
    </SimpleGrid>
  );
}

function Output({ shown: { run, state, isOver }, record }: { shown: ShownRun; record: RunRecord }) {
  if (!isOver) return <Plain>The run has not ended: there is no output yet.</Plain>;
  if (state === 'succeeded' && record.content !== 'kept') return <NotStored record={record} sha256={null} />;
  if (state !== 'succeeded') return run?.error ? <Json value={run.error} label="Error" /> : <Plain>There is none: the run was {state}.</Plain>;
  return <Json value={run?.result ?? null} label="Result" maxHeight={560} />;
}

function NotStored({ record: { content }, sha256 }: { record: RunRecord; sha256: string | null }) {
  return (
    <Plain>
      {content === 'too_large' ? (
        'Too large to be kept: 128 KiB at most.'
      ) : (
        <>
          Not kept. Calls keep their input and output for as long as{' '}
          <PageLink to="/settings" inherit>
            your settings
          </PageLink>{' '}
          say.
        </>
      )}
      {sha256 !== null && (
        <>
          {' '}
          SHA-256: <code>{sha256}</code>
        </>
      )}
    </Plain>
  );
}

function Plain({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
      {children}
    </Text>
  );
}
