// What a run does at this moment: its newest progress, what it has said, and the tools that it uses.
import { Text } from '@mantine/core';
import { useRef } from 'react';
import { Code } from '../../kit/code.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { type LiveCall, STARTING, withOutput } from '../../agents/live/live.ts';
import type { EventLog } from './events/log.ts';
import { ProgressLine } from './progress-line.tsx';
import type { ShownRun } from './use-run.ts';

const OF_AGENT = 'run.';
/** Of what it said, the newest. */
const MOST_TEXT = 8_000;

export function Now({ shown: { state, events } }: { shown: ShownRun }) {
  const { progress, text, tools } = useOutput(events.log);
  const used = tools.filter(({ phase }) => phase === 'started').slice(-5);
  const part = progress && { message: progress.message, part: progress.part };
  return (
    <Section title="Now">
      {part && <ProgressLine {...part} />}
      {used.map(({ id, name, summary }) => (
        <Text key={id} size="sm" component="div" mb={4}>
          <State of="running" label="uses" /> <code>{name}</code> {summary}
        </Text>
      ))}
      {text !== '' && <Code text={text.slice(-MOST_TEXT)} label="Output so far" maxHeight={320} />}
      {!part && used.length === 0 && text === '' && <Text size="sm">{WORDS[state] ?? 'The run has reported nothing yet.'}</Text>}
    </Section>
  );
}

const WORDS: Partial<Record<ShownRun['state'], string>> = {
  queued: 'The run waits for the agent to take it.',
  waiting: 'The run continues when it is answered.',
};

/** Each event is added once, however many there are. */
function useOutput({ events }: EventLog): LiveCall {
  const so = useRef({ of: events, count: 0, live: STARTING });
  if (so.current.of !== events || so.current.count > events.length) so.current = { of: events, count: 0, live: STARTING };
  for (const { kind, payload } of events.slice(so.current.count))
    if (kind.startsWith(OF_AGENT)) so.current.live = withOutput(so.current.live, { kind: kind.slice(OF_AGENT.length), payload });
  so.current.count = events.length;
  return so.current.live;
}
