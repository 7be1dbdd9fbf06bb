// The lists of the registry, each as its route gives it.
import { Alert, Text } from '@mantine/core';
import { usePagesByLink } from '../../api/by-link.ts';
import { type Pages, usePages, useRead } from '../../api/query.ts';
import { More } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { AgentRows, type Row } from './registry-rows.tsx';

export interface Filter {
  mine: boolean;
  kind: string | undefined;
  state: string | undefined;
}

const PAGE = 100;
/** As many as the search gives at once. */
const MAX_RESULTS = 25;

export function ListedAgents({ filter }: { filter: Filter }) {
  const pages = usePagesByLink('list', { limit: PAGE });
  const shown = narrowed(pages.items, filter);
  return <Paged rows={shown} pages={pages} empty={<NoneListed filter={filter} hasAny={pages.items.length > 0} />} />;
}

export function AgentSearchResults({
  q = '',
  tag,
  skill,
  filter,
}: {
  q: string | undefined;
  tag: string | undefined;
  skill: string | undefined;
  filter: Filter;
}) {
  const agents = useRead('agents', 'search', {
    query: { q, limit: MAX_RESULTS, ...(tag !== undefined && { tag: [tag] }), ...(skill !== undefined && { skill }) },
  });
  const shown = narrowed(agents, filter);
  return (
    <>
      <AgentRows
        rows={shown}
        empty={
          <Empty title="No agent was found">
            {agents.length > 0
              ? 'Agents match, but none of this kind and state.'
              : 'Try fewer or other words; names, descriptions, tags and skills are searched.'}
          </Empty>
        }
      />
      {agents.length === MAX_RESULTS && (
        <Text size="sm" c="dimmed">
          The best {MAX_RESULTS} results. Add words to narrow the search.
        </Text>
      )}
    </>
  );
}

export function InstalledAgents({ q = '' }: { q: string | undefined }) {
  const pages = usePages('installedAgents', 'list', { query: { limit: PAGE } });
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const rows: Row[] = pages.items
    .filter(({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word)))
    .map(({ available, setup, installed_at: at, ...agent }) => ({
      ...agent,
      tags: [],
      skills: [],
      updated_at: at,
      note: !available ? 'No longer live or public.' : setup.complete ? undefined : `Needs ${setup.missing.join(', ')} of you.`,
    }));
  return (
    <Paged
      rows={rows}
      pages={pages}
      empty={
        <Empty title={words.length > 0 ? 'No installed agent was found' : 'Nothing is installed'}>Install on an agent's page keeps it here, at hand.</Empty>
      }
    />
  );
}

export function PublicAgents({ tag }: { tag: string | undefined }) {
  const pages = usePages('public', 'agents', { query: { limit: PAGE, ...(tag !== undefined && { tag }) } });
  return (
    <Paged
      rows={pages.items}
      pages={pages}
      empty={
        <Empty title={tag === undefined ? 'No agent is public yet' : `No public agent has the tag ${tag}`} command="svc deploy --public">
          An owner publishes an agent; then everyone finds it here.
        </Empty>
      }
    />
  );
}

function Paged<T>({ rows, pages, empty }: { rows: readonly Row[]; pages: Pages<T>; empty: React.ReactNode }) {
  return (
    <>
      {rows.length === 0 && pages.hasMore ? <Alert color="gray">None among the agents loaded so far.</Alert> : <AgentRows rows={rows} empty={empty} />}
      {pages.hasMore && <More pages={pages} />}
    </>
  );
}

type Narrowable = Row & { mine: boolean; kind: string; state: string };

function narrowed<T extends Narrowable>(agents: readonly T[], { mine, kind, state }: Filter): T[] {
  return agents.filter((agent) => {
    if (mine && !agent.mine) return false;
    if (kind !== undefined && (kind === 'imported') !== (agent.kind === 'imported')) return false;
    const stands = agent.out_of_service ? 'out' : agent.state;
    return state === undefined || state === stands;
  });
}

function NoneListed({ filter: { mine, kind, state }, hasAny }: { filter: Filter; hasAny: boolean }) {
  const isPlain = kind === undefined && state === undefined;
  if (hasAny && !(mine && isPlain)) return <Empty title="No agent of this kind and state">Choose another filter.</Empty>;
  return (
    <Empty title={mine ? 'You have no agents yet' : 'No agents yet'} command="svc init my-agent --language typescript">
      A class with typed skills becomes one.
    </Empty>
  );
}
