import { List, Under, type Column } from '../../list.tsx';
import { Empty } from '../../page.tsx';
import { State } from '../../state.tsx';
import type { States } from '../states.ts';

interface Row {
  name: string;
  state: string;
  runs: number;
}

const columns: Column<Row>[] = [
  {
    head: 'Agent',
    wide: true,
    cell: ({ name }) => (
      <>
        {name}
        <Under>a second line</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Runs', end: true, cell: ({ runs }) => runs },
];
const rows = (count: number): Row[] => Array.from({ length: count }, (_, at) => ({ name: `agent-${at}`, state: at % 2 ? 'live' : 'failed', runs: at }));
const keyOf = ({ name }: Row): string => name;
const empty = <Empty title="No agents" command="svc init" />;
const nothing = (): void => undefined;

export const list: States = {
  nothing: () => <List label="Agents" pages={[]} columns={columns} keyOf={keyOf} empty={empty} />,
  some: () => <List label="Agents" pages={rows(3)} columns={columns} keyOf={keyOf} empty={empty} />,
  'more than a window': () => <List label="Agents" pages={rows(60)} columns={columns} keyOf={keyOf} empty={empty} />,
  'more is being read': () => (
    <List label="Agents" pages={{ items: rows(2), hasMore: true, isLoadingMore: true, loadMore: nothing }} columns={columns} keyOf={keyOf} empty={empty} />
  ),
};
