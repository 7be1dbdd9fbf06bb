// What the skills of an agent of the reader's cost others, now and before.
import { Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { freeWords, priceWords } from '#contract/money/price-words.ts';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { PriceForm } from './price-form.tsx';

const route = getRouteApi('/agents/mine/$name/prices');

export type Price = Output<'prices', 'list'>['items'][number];

export function Prices() {
  const { name } = route.useParams();
  const { card, prices } = useRead('agents', 'get', { params: { name } });
  const skills = card?.skills.map(({ id }) => id) ?? [];
  /** Whose price is asked for; '': to be chosen; undefined: none. */
  const [asked, setAsked] = useState(route.useSearch().set ? '' : undefined);
  return (
    <Section
      title="Prices"
      lead="What calls cost other users. A call is paid when it succeeds; its maximum cost is held before it starts. Your own calls cost nothing."
      actions={asked === undefined && skills.length > 0 && <Button onClick={() => setAsked('')}>Set a price</Button>}
    >
      {asked !== undefined && (
        <PriceForm
          key={asked}
          name={name}
          skills={skills}
          skill={asked === '' ? (skills[0] ?? '') : asked}
          before={prices.find(({ skill }) => skill === asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
      <List
        label="Prices"
        pages={prices}
        keyOf={({ skill }) => skill}
        empty={
          asked === undefined && (
            <Empty title="Calls of it cost nothing." command={`svc prices set ${name} ${skills[0] ?? 'SKILL'} --call 0.02`}>
              {skills.length === 0 ? 'A deployed skill may have a price.' : 'Each skill may have its own price.'}
            </Empty>
          )
        }
        columns={[
          { head: 'Skill', cell: ({ skill }) => <code>{skill}</code> },
          {
            head: 'Costs',
            wide: true,
            cell: (price) => (
              <>
                {priceWords(price)}
                <Under>{freeWords(price)}</Under>
              </>
            ),
          },
          { head: 'Since', cell: ({ valid_from }) => <When at={valid_from} /> },
          {
            head: 'Actions',
            end: true,
            cell: ({ skill }) => (
              <Group gap="xs" justify="end" wrap="nowrap">
                <Button size="xs" variant="default" onClick={() => setAsked(skill)} aria-label={`Change the price of ${skill}`}>
                  Change
                </Button>
                <End name={name} skill={skill} />
              </Group>
            ),
          },
        ]}
      />
      <Before name={name} />
    </Section>
  );
}

function Before({ name }: { name: string }) {
  const pages = usePages('prices', 'list', { params: { name }, query: { limit: 50, history: true } });
  const ended = { ...pages, items: pages.items.filter(({ valid_until }) => valid_until !== null) };
  if (ended.items.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={600} mt="lg" mb="xs">
        Before
      </Text>
      <List
        label="Prices that have ended"
        pages={ended}
        keyOf={({ price_id }) => price_id}
        empty={null}
        columns={[
          { head: 'Skill', cell: ({ skill }) => <code>{skill}</code> },
          { head: 'Version', end: true, cell: ({ version }) => version },
          { head: 'Cost', wide: true, cell: (price) => priceWords(price) },
          { head: 'From', cell: ({ valid_from }) => <When at={valid_from} /> },
          { head: 'Until', cell: ({ valid_until }) => valid_until !== null && <When at={valid_until} /> },
        ]}
      />
    </>
  );
}

function End({ name, skill }: { name: string; skill: string }) {
  const sending = useSend('prices', 'end', { done: `${skill} costs nothing from now on.`, refresh: ['prices', 'agents', 'public'] });
  return (
    <AskingAction
      label="Remove price"
      size="xs"
      question={`Remove the price of ${skill}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, skill } })}
    >
      Calls that start from now on cost nothing. Calls in progress keep the old price.
    </AskingAction>
  );
}
