import { SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Json } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Section } from '../../kit/page.tsx';
import { type ShownRun, useRunInput } from './use-run.ts';

/** Side by side. */
export function InputOutput({ runId, shown }: { runId: string; shown: ShownRun }) {
  const { data: input, error } = useRunInput(runId);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Section title="Input">
        {error && <Failure error={error} />}
        {input?.args && <Json value={input.args} label="Arguments" maxHeight={560} />}
        {input && !input.args && <NotStored sha256={input.input_sha256} />}
      </Section>
      <Section title="Output">
        <Output shown={shown} />
      </Section>
    </SimpleGrid>
  );
}

function Output({ shown: { run, state, isOver } }: { shown: ShownRun }) {
  if (!isOver) return <Plain>The run has not ended: there is no output yet.</Plain>;
  if (!run || run.job_id === null) return <Plain>It was a plain call: its result went to its caller and is not kept. The receipt has its SHA-256.</Plain>;
  if (state !== 'succeeded') return run.error ? <Json value={run.error} label="Error" /> : <Plain>There is none: the run was {state}.</Plain>;
  return <Json value={run.result} label="Result" maxHeight={560} />;
}

function NotStored({ sha256 }: { sha256: string | null }) {
  return (
    <Plain>
      The arguments are not kept: of a plain call they are its caller&apos;s, and very large ones are left out.
      {sha256 !== null && (
        <>
          {' '}
          Their SHA-256: <code>{sha256}</code>
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
