// One rehearsal: each scenario with its events as they come, and the rule that an event broke.
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { namesInWords } from '../../kit/plain-words.ts';
import { eventWords, type ScenarioRun, verdictOf } from './words.ts';

const OFTEN = 1_000;

export function Rehearsal({ name, id }: { name: string; id: string }) {
  const params = { name, job_id: id };
  const one = useRead('protocolSimulations', 'get', { params }, { every: (last) => last?.ended_at === null && OFTEN });
  const stop = useSend('protocolSimulations', 'stop', { done: 'It is stopping; its machine goes.' });
  const queryClient = useQueryClient();
  // The list below says no other state than this.
  useEffect(() => void queryClient.invalidateQueries({ queryKey: ['protocolSimulations', 'list'] }), [queryClient, one.state, one.verdict]);
  const done = one.scenarios.filter(({ state }) => state !== 'queued' && state !== 'running').length;
  return (
    <Section
      title={`Rehearsal: ${one.protocol_ref.display_name}`}
      actions={
        one.kill_switch_available && (
          <AskingAction
            label="Stop"
            color="red"
            variant="light"
            question="Stop this rehearsal?"
            loading={stop.isPending}
            onAct={() => stop.mutate({ params, body: { reason: 'Stopped on the dashboard' } })}
          >
            Running scenarios end. Its disposable machine and account are removed, as after every rehearsal.
          </AskingAction>
        )
      }
    >
      <Stack>
        <Facts
          of={{
            Verdict: (
              <Group gap="sm">
                <State {...verdictOf(one)} />
                {one.ended_at === null && <Progress value={(100 * done) / Math.max(1, one.scenarios.length)} w={160} aria-label="Scenarios that have ended" />}
              </Group>
            ),
            Version: one.version ?? 'no version',
            Seed: one.seed,
            Digest: one.digest,
            Job: (
              <PageLink to="/jobs/$job_id" params={{ job_id: one.job_id }} size="sm">
                {one.job_id}
              </PageLink>
            ),
            Applies: 'nothing: it is a rehearsal, and proposes at most',
            Stage: one.stage_removed ? 'removed' : 'a disposable machine and account',
            Failed: one.error?.message,
          }}
        />
        <List
          label="Scenarios"
          pages={one.scenarios}
          keyOf={({ position }) => String(position)}
          empty={<Empty title="No scenario." />}
          columns={[
            { head: 'Scenario', wide: true, cell: (run) => <Scenario run={run} /> },
            { head: 'Result', cell: ({ state }) => <State of={state} /> },
            { head: 'Took', end: true, cell: ({ elapsed_ms }) => (elapsed_ms === null ? '–' : `${(elapsed_ms / 1000).toFixed(1)}\u00a0s`) },
          ]}
        />
      </Stack>
    </Section>
  );
}

function Scenario({ run: { title, scenario, events, broken, reason, state } }: { run: ScenarioRun }) {
  return (
    <>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Under>
        <code>{scenario}</code>
        {reason !== null && <>. {reason}</>}
      </Under>
      {broken.map(({ event, rule, says, expected, got }) => (
        <Text key={`${event} ${rule}`} size="sm" mt={4} dir="auto">
          Event {event} broke <code>{rule}</code>: {says}. Expected {namesInWords(expected)}; got {namesInWords(got)}.
        </Text>
      ))}
      {events.length > 0 && (
        <details open={state === 'failed'}>
          <summary style={{ fontSize: 'var(--mantine-font-size-xs)', cursor: 'pointer' }}>
            {events.length === 1 ? 'The event' : `The ${events.length} events`} of {title}
          </summary>
          {events.map((event) => (
            <Under key={event.n}>{namesInWords(eventWords(event))}</Under>
          ))}
        </details>
      )}
    </>
  );
}
