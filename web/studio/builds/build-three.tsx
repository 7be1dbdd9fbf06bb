// Makes the best three ideas at once, after a question that says what they may cost.
import { List as Bullets, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSend, type Item } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Section } from '../../kit/page.tsx';
import { type ModelValue, ModelFields } from './model-fields.tsx';

const THREE = 3;

export function BuildThree({ theme, items }: { theme: string; items: readonly Item<'agentStudio', 'ideas'>[] }) {
  const navigate = useNavigate();
  const [model, setModel] = useState<ModelValue>({ writes: false, credential: '', dollars: 30 });
  const build = useSend('agentStudio', 'ideas', {
    done: ({ runs }) => (runs.length === 1 ? 'One is being made.' : `${runs.length} are being made.`),
    refresh: ['agentStudio'],
    onDone: () => void navigate({ to: '/studio', search: {} }),
  });
  const best = items.filter(({ missing }) => missing.length === 0).slice(0, THREE);
  const start = (): void =>
    build.mutate({
      body: {
        theme,
        build_top_three: true,
        ...(model.writes && {
          total_budget_cents: Math.round(model.dollars * 100),
          model: model.credential === '' ? {} : { credential: model.credential },
        }),
      },
    });
  return (
    <Section title="Build the best three" lead="The best three that need no further input. Each is deployed for you only, and not published.">
      <Stack maw={640} align="start">
        <ModelFields value={model} onChange={(part) => setModel((now) => ({ ...now, ...part }))} least={3} most={90} />
        <AskingAction
          label="Build the best three"
          variant="filled"
          question="Build the best three?"
          loading={build.isPending}
          not={best.length === 0 && 'Each idea needs an input: make one at a time.'}
          onAct={start}
        >
          <Bullets size="sm">
            {best.map(({ name, title }) => (
              <Bullets.Item key={name}>{title}</Bullets.Item>
            ))}
          </Bullets>
          <Text size="sm" mt="sm">
            {model.writes
              ? `A language model of yours writes them, for $${model.dollars.toFixed(2)} at most: $${(model.dollars / THREE).toFixed(2)} each.`
              : 'Recipes write them, without a language model: nothing is spent.'}
          </Text>
        </AskingAction>
      </Stack>
    </Section>
  );
}
