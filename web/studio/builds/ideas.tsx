// A hundred ideas for agents on a theme. The best three can be made at once.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, Suspense, useState } from 'react';
import { useRead, type Item } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Loading, Page, Section } from '../../kit/page.tsx';
import { Subpages } from '../../kit/subpages.tsx';
import { namesInWords } from '../../kit/plain-words.ts';
import { BuildThree } from './build-three.tsx';
import { SUBPAGES } from './subpages.ts';
import { percent, RECIPES } from './words.ts';

type Idea = Item<'agentStudio', 'ideas'>;
const route = getRouteApi('/studio/ideas');

export function Ideas() {
  const { theme } = route.useSearch();
  const navigate = useNavigate();
  const [typed, setTyped] = useState(theme ?? '');
  const look = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = typed.trim();
    if (wanted !== '') void navigate({ to: '/studio/ideas', search: { theme: wanted } });
  };
  return (
    <Page title="Ideas" crumbs={[{ label: 'Studio', to: '/studio' }]} lead="A hundred agents that could be made for a trade, a place or a problem, best first.">
      <Subpages label="Studio" pages={SUBPAGES} />
      <form onSubmit={look} aria-label="Theme">
        <Group align="end" gap="sm">
          <TextInput
            label="Theme"
            placeholder="small harbours"
            maxLength={200}
            dir="auto"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            style={{ flex: '1 1 16rem' }}
            maw={420}
          />
          <Button type="submit">Show ideas</Button>
        </Group>
      </form>
      {theme === undefined ? (
        <Empty title="Name a theme" command='svc studio ideas "small harbours"' />
      ) : (
        <Suspense fallback={<Loading />} key={theme}>
          <IdeaList theme={theme} />
        </Suspense>
      )}
    </Page>
  );
}

function IdeaList({ theme }: { theme: string }) {
  const { items, weights } = useRead('agentStudio', 'ideas', { body: { theme } });
  return (
    <>
      <BuildThree theme={theme} items={items} />
      <Section
        title={`Ideas for ${theme}`}
        lead={`Of 100 points. Demand: ${weights.demand}. Fit: does the recipe suit it, ${weights.fit}. Feasibility: can it surely be made, ${weights.feasibility}. Gap: is it missing on the platform, ${weights.gap}. Cost: is it cheap, ${weights.cost}.`}
      >
        <List label="Ideas" pages={items} columns={COLUMNS} keyOf={({ rank }) => `${rank}`} empty={<Text c="dimmed">None.</Text>} />
      </Section>
    </>
  );
}

const COLUMNS: Column<Idea>[] = [
  { head: 'Rank', end: true, cell: ({ rank }) => rank },
  {
    head: 'Idea',
    wide: true,
    cell: ({ title, goal, reason, missing, name, recipe }) => (
      <>
        <Text size="sm" fw={600} dir="auto">
          {title}
        </Text>
        <Under>{goal}</Under>
        <Under>
          {namesInWords(reason)} {RECIPES[recipe]}.{missing.length > 0 && ` It needs: ${namesInWords(missing.join(', '))}.`}
        </Under>
        <PageLink to="/studio" search={{ make: true, name, goal, recipe }} size="xs">
          Make this one
        </PageLink>
      </>
    ),
  },
  { head: 'Score', end: true, cell: ({ score }) => score.toFixed(1) },
  { head: 'Demand', end: true, cell: ({ parts }) => percent(parts.demand) },
  { head: 'Fit', end: true, cell: ({ parts }) => percent(parts.fit) },
  { head: 'Feasibility', end: true, cell: ({ parts }) => percent(parts.feasibility) },
  { head: 'Gap', end: true, cell: ({ parts }) => percent(parts.gap) },
  { head: 'Cost', end: true, cell: ({ parts }) => percent(parts.cost) },
];
