// Evaluations: versions checked against datasets.
import { Group, Progress, Stack, Text } from '@mantine/core';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { percent } from './words.ts';

const OFTEN = 2_000;

export function Evaluations({ name, id }: { name: string; id: string | undefined }) {
  const { items } = useRead(
    'evaluations',
    'evaluations',
    { params: { name } },
    { every: (last) => (last?.items.some(({ state }) => state === 'running') ? OFTEN : 30_000) },
  );
  return (
    <Stack gap="xl">
      {id !== undefined && items.some(({ evaluation_id }) => evaluation_id === id) && <One name={name} id={id} />}
      <Section title="Evaluations" lead="The last hundred.">
        <List
          label="Evaluations"
          pages={items}
          keyOf={({ evaluation_id }) => evaluation_id}
          empty={
            <Empty title="No evaluation yet." command={`svc eval DATASET --agent ${name}`}>
              It runs every example of a dataset on the live version.
            </Empty>
          }
          columns={[
            {
              head: 'Of',
              wide: true,
              cell: ({ evaluation_id, dataset, version }) => (
                <>
                  <PageLink
                    to="/agents/mine/$name/evaluation"
                    params={{ name }}
                    search={{ show: 'evaluations', evaluation: evaluation_id }}
                    size="sm"
                    {...(evaluation_id === id && { fw: 650 })}
                  >
                    {dataset}
                  </PageLink>
                  <Under>{version ?? 'no version'}</Under>
                </>
              ),
            },
            { head: 'State', cell: ({ state }) => <State of={state} /> },
            { head: 'Passed', end: true, cell: ({ passed, done }) => percent(passed, done) },
            { head: 'Done', end: true, cell: ({ done, items: all }) => `${done} of ${all}` },
            { head: 'Began', end: true, cell: ({ created_at }) => <When at={created_at} /> },
          ]}
        />
      </Section>
    </Stack>
  );
}

function One({ name, id }: { name: string; id: string }) {
  const params = { name, evaluation_id: id };
  const one = useRead('evaluations', 'evaluation', { params }, { every: (last) => last?.state === 'running' && OFTEN });
  const cancel = useSend('evaluations', 'cancelEvaluation', { done: 'No more examples are started.' });
  return (
    <Section
      title={`Evaluation of ${one.dataset}`}
      actions={one.state === 'running' && <Action label="Cancel" loading={cancel.isPending} onAct={() => cancel.mutate({ params })} />}
    >
      <Stack>
        <Facts
          of={{
            State: (
              <Group gap="sm">
                <State of={one.state} />
                {one.state === 'running' && <Progress value={one.items === 0 ? 0 : (100 * one.done) / one.items} w={160} aria-label="Examples that are done" />}
              </Group>
            ),
            Version: one.version ?? 'no version',
            Passed: `${one.passed} of ${one.done} (${percent(one.passed, one.done)})`,
            Rules: one.rules.length === 0 ? null : one.rules.map(({ rule, passed, scored }) => <div key={rule}>{`${rule}: ${passed} of ${scored}`}</div>),
            Failed: one.error?.message,
          }}
        />
        <List
          label="Results"
          pages={one.results}
          keyOf={({ item_id }) => item_id}
          empty={<Text size="sm">No example has started.</Text>}
          columns={[
            {
              head: 'Example',
              wide: true,
              cell: ({ item_id, skill, scores, error, run_id }) => (
                <>
                  <code>{skill}</code> {item_id}
                  {error && <Under>{error.message}</Under>}
                  {scores
                    .filter(({ passed }) => passed !== true)
                    .map(({ rule, reason }) => (
                      <Under key={rule}>
                        {rule}: {reason ?? 'not judged yet'}
                      </Under>
                    ))}
                  {run_id !== null && <Under>{run_id}</Under>}
                </>
              ),
            },
            { head: 'State', end: true, cell: ({ state, passed }) => <State of={passed === null ? state : passed ? 'passed' : 'failed'} /> },
          ]}
        />
      </Stack>
    </Section>
  );
}
