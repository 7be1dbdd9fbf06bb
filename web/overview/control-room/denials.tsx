// What the policy refused, or asked about: all of it, page by page.
import { Stack, Text } from '@mantine/core';
import { usePages, type Item } from '../../api/query.ts';
import { FirstFew } from '../../kit/first-few.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { number } from '../../kit/number.ts';

type Denial = Item<'policy', 'denials'>;

const ACTIONS: Record<Denial['action'], string> = {
  handoff: 'Call of an agent',
  grant: 'Grant of files',
  expand_scope: 'Further access',
  write_file: 'Write of a file',
  egress: 'Connection out',
  spend: 'Use of a model',
  publish: 'Publishing',
  deploy: 'Deployment',
};

const COLUMNS: Column<Denial>[] = [
  {
    head: 'What',
    wide: true,
    cell: ({ action, resource, message }) => (
      <Stack gap={2}>
        <Text size="sm" fw={600} dir="auto" style={{ overflowWrap: 'anywhere' }}>
          {ACTIONS[action]}: {resource}
        </Text>
        <Under>{message}</Under>
      </Stack>
    ),
  },
  {
    head: 'Outcome',
    cell: ({ outcome, count }) => (
      <State of={outcome === 'deny' ? 'denied' : 'asking'} label={`${outcome === 'deny' ? 'refused' : 'asked'}${count > 1 ? ` ${number(count)} times` : ''}`} />
    ),
  },
  { head: 'By', cell: ({ rule }) => <code style={{ overflowWrap: 'anywhere' }}>{rule}</code> },
  {
    head: 'Run',
    cell: ({ agent, run_id }) =>
      run_id === null ? (
        (agent ?? 'your own')
      ) : (
        <PageLink to="/runs/$run_id" params={{ run_id }} size="sm">
          {agent ?? 'run'}
        </PageLink>
      ),
  },
  { head: 'When', cell: ({ last_at }) => <When at={last_at} /> },
];

export function Denials() {
  const pages = usePages('policy', 'denials', { query: { limit: 20 } }, { every: 15_000 });
  return (
    <Section title="Refused">
      <FirstFew all={pages.items} hasMore={pages.hasMore} name="refusals">
        {(shown, isWhole) => (
          <List
            label="Refused"
            pages={isWhole ? pages : shown}
            columns={COLUMNS}
            keyOf={({ denial_id }) => denial_id}
            empty={
              <Empty title="Nothing was refused." command="svc policy denials">
                What the policy refuses, or asks you about, is listed here with the run that tried it.
              </Empty>
            }
          />
        )}
      </FirstFew>
    </Section>
  );
}
