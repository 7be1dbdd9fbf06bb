// What the agent wrote to its log for one run: for its owner.
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Output } from '../../../api/client.ts';
import { read } from '../../../api/query.ts';
import { Code } from '../../../kit/code.tsx';
import { Failure } from '../../../kit/failure.tsx';
import { Section } from '../../../kit/page.tsx';
import { type Entry, entryOf, reasonIn, type Stack } from './lines.ts';

type RunRecord = Output<'myRuns', 'get'>;

/** Why the run failed, where its log says more than its answer; and all that it wrote. */
export function RunLog({ record: { agent, run_id, state } }: { record: RunRecord }) {
  const { data, error } = useQuery({
    ...read('myRuns', 'log', { params: { name: agent }, query: { run_id } }),
    refetchInterval: state === 'running' ? 2_000 : false,
  });
  if (error) return <Failure error={error} />;
  if (!data) return null;
  const entries = data.lines.map(entryOf);
  const reason = state === 'failed' ? reasonIn(entries) : undefined;
  return (
    <>
      {reason && (
        <Section title="What the agent logged">
          <Text size="sm" fw={600} mb="xs" style={{ overflowWrap: 'anywhere' }}>
            {reason.error ?? reason.message}
          </Text>
          {reason.stack && <Trace of={reason.stack} />}
        </Section>
      )}
      <Section title="Log lines">
        {entries.length > 0 ? (
          <Code text={entries.map(lineOf).join('\n')} label="Log lines of this run" maxHeight={320} />
        ) : (
          <Text size="sm" c="dimmed">
            {data.searched > 0 ? 'This run wrote nothing to its log.' : 'The machine that ran it is gone, and its log with it.'}
          </Text>
        )}
      </Section>
    </>
  );
}

function Trace({ of: { text, folded, whole } }: { of: Stack }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <Code text={isWhole ? whole : text} label="Stack" maxHeight={320} />
      {folded > 0 && (
        <Anchor component="button" type="button" size="xs" mt={4} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Hide frames of the SDK' : `Show ${folded} frames of the SDK`}
        </Anchor>
      )}
    </>
  );
}

function lineOf({ at, level, message, error, fields }: Entry): string {
  return [at.slice(11, 23), level.padEnd(5), error === undefined ? message : `${message}: ${error}`, fields].filter((part) => part !== '').join(' ');
}
