// What one deployment says of itself that another did not: skills that came, went or changed, and the cards
// line by line.
import { Group, Stack, Text } from '@mantine/core';
import { useSuspenseQueries } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { read } from '../../api/query.ts';
import { Loading, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { skillChanges } from './skill-changes.ts';

const Diff = lazy(async () => ({ default: (await import('../source/diff.tsx')).Diff }));

const LOOK = { added: 'applied', removed: 'failed', changed: 'running' } as const;

export function CardChanges({ name, before, after }: { name: string; before: string; after: string }) {
  const of = (deploy_id: string) => read('agents', 'deploymentCard', { params: { name, deploy_id } });
  const [was, is] = useSuspenseQueries({ queries: [of(before), of(after)] });
  const texts = [was.data.card, is.data.card].map((card) => (card === null ? '' : JSON.stringify(card, null, 2)));
  const [old = '', now = ''] = texts;
  if (old === now)
    return (
      <Section title="Card">
        <Text size="sm">{old === '' ? 'Neither of the two has a card.' : 'The card is the same.'}</Text>
      </Section>
    );
  return (
    <Section title="Card" lead="How the agent describes itself.">
      <Stack gap={6} component="ul" m={0} p={0} mb="md" style={{ listStyle: 'none' }}>
        {skillChanges(was.data.card, is.data.card).map(({ id, kind }) => (
          <Group component="li" key={id} gap="xs" wrap="nowrap">
            <State of={LOOK[kind]} label={kind} />
            <code style={{ overflowWrap: 'anywhere' }}>{id}</code>
          </Group>
        ))}
      </Stack>
      <Suspense fallback={<Loading lines={3} />}>
        <Diff path="card.json" before={old} after={now} label="Changes of the card" />
      </Suspense>
    </Section>
  );
}
