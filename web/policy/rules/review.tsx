// What a change would have done with the last decisions, before it is saved.
import { Paper, Stack, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { inWords } from '../../kit/in-words.ts';
import { List, Under } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { ACTION_WORDS, Entity, Who } from './parts.tsx';
import { number } from '../../kit/number.ts';

export type Tried = Output<'policy', 'test'>;

export function Review({ tried }: { tried: Tried }) {
  const { tested, changed, changes, examples } = tried;
  return (
    <Section title="What this change would have done">
      <Stack gap="sm">
        <Paper withBorder p="md" role="status">
          {tested === 0 ? (
            <Text size="sm">No decisions are kept yet: what it would do cannot be shown. They are kept while the account has rules.</Text>
          ) : changed === 0 ? (
            <Text size="sm">None of the last {number(tested)} decisions would be another.</Text>
          ) : (
            <>
              <Text size="sm" fw={600}>
                {number(changed)} of the last {number(tested)} decisions would be others.
              </Text>
              {changes.map(({ from, to, count }) => (
                <Text key={`${from} ${to}`} size="sm">
                  {number(count)} from {from} to {to}
                </Text>
              ))}
            </>
          )}
        </Paper>
        {examples.length > 0 && (
          <List
            label="Decisions that would be others"
            pages={examples}
            keyOf={({ decision }) => decision.decision_id}
            columns={[
              {
                head: 'What',
                wide: true,
                cell: ({ decision }) => (
                  <>
                    <Entity of={decision.resource} />
                    <Under>{ACTION_WORDS[decision.action]}</Under>
                  </>
                ),
              },
              { head: 'Who', cell: ({ decision }) => <Who of={decision} /> },
              { head: 'Was', cell: ({ decision }) => <State of={decision.outcome} /> },
              { head: 'Would be', cell: ({ outcome }) => <State of={outcome} /> },
              { head: 'By', cell: ({ reasons }) => reasons.map((reason) => inWords(reason)).join(', ') },
              { head: 'Decided', end: true, cell: ({ decision }) => <When at={decision.decided_at} /> },
            ]}
            empty={null}
          />
        )}
      </Stack>
    </Section>
  );
}
