// Builds of the workflow code: which is current, who runs each, what still needs it.
import { Alert, Code, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { number } from '../../kit/number.ts';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { OperatorPage } from '../operator-page.tsx';

type Build = Output<'workerBuilds', 'list'>['items'][number];

export function WorkerBuilds() {
  const { items } = useRead('workerBuilds', 'list', {}, { every: 15_000 });
  const current = items.find((build) => build.current);
  return (
    <OperatorPage title="Workers" lead="Builds of the workflow code. New workflows, and open ones that follow the code, go to the current build.">
      {items.length > 0 && (current === undefined || current.workers === 0) && (
        <Alert color="red" role="alert" title="Workflows wait">
          No worker runs the current build. Start one, or make another build current.
        </Alert>
      )}
      <List
        label="Builds"
        pages={items}
        columns={COLUMNS}
        keyOf={({ build_id }) => build_id}
        empty={<Empty title="There are no builds">No worker has run yet, or the Temporal server knows no versions.</Empty>}
      />
    </OperatorPage>
  );
}

const COLUMNS: Column<Build>[] = [
  {
    head: 'Build',
    wide: true,
    cell: ({ build_id, current_since }) => (
      <>
        <Code style={{ overflowWrap: 'anywhere' }}>{build_id}</Code>
        {current_since !== null && (
          <Under>
            Current since <When at={current_since} />
          </Under>
        )}
      </>
    ),
  },
  { head: 'State', cell: ({ current, workers }) => <BuildState current={current} workers={workers} /> },
  { head: 'Workers', end: true, cell: ({ workers }) => number(workers) },
  { head: 'Open workflows', end: true, cell: ({ pinned_workflows: open }) => <Text size="sm">{open === 0 ? 'none' : `${number(open)} need it`}</Text> },
  { head: 'First seen', cell: ({ first_seen }) => <When at={first_seen} /> },
  { head: 'Actions', end: true, cell: (build) => <MakeCurrent of={build} /> },
];

function BuildState({ current, workers }: Pick<Build, 'current' | 'workers'>) {
  if (current) return <State of={workers > 0 ? 'live' : 'failing'} label={workers > 0 ? 'current' : 'current, no worker'} />;
  return <State of={workers > 0 ? 'ready' : 'stopped'} label={workers > 0 ? 'running' : 'no worker'} />;
}

function MakeCurrent({ of: { build_id, current, workers } }: { of: Build }) {
  const set = useSend('workerBuilds', 'setCurrent', { done: `${build_id} is current.` });
  if (current) return null;
  return (
    <AskingAction
      label="Set as current"
      size="xs"
      variant="subtle"
      question={`Make ${build_id} current?`}
      loading={set.isPending}
      not={workers === 0 && 'No worker runs this build: start the platform with that code on one machine first.'}
      onAct={() => set.mutate({ body: { build_id } })}
    >
      New workflows, and open ones that follow the code, go to this build at once. Workflows that need another build stay with it.
    </AskingAction>
  );
}
