// Examples that a version is checked against.
import { Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { examplesIn } from './words.ts';
import { number } from '../../kit/number.ts';

const AT_ONCE = 200;
const SHOWN = 300;

export function Datasets({ name, dataset }: { name: string; dataset: string | undefined }) {
  const { items } = useRead('evaluations', 'datasets', { params: { name } });
  const [isAdding, setAdding] = useState(false);
  return (
    <Stack gap="xl">
      <Section title="Datasets" actions={!isAdding && <Button onClick={() => setAdding(true)}>Add examples</Button>}>
        {isAdding && <Add name={name} dataset={dataset} onClose={() => setAdding(false)} />}
        <List
          label="Datasets"
          pages={items}
          keyOf={(one) => one.dataset}
          empty={
            !isAdding && (
              <Empty title="No datasets." command={`svc datasets create ${name} questions --file questions.jsonl`}>
                The first examples make one.
              </Empty>
            )
          }
          columns={[
            {
              head: 'Dataset',
              wide: true,
              cell: (one) => (
                <PageLink
                  to="/agents/mine/$name/evaluation"
                  params={{ name }}
                  search={{ show: 'datasets', dataset: one.dataset }}
                  size="sm"
                  {...(one.dataset === dataset && { fw: 650 })}
                >
                  {one.dataset}
                </PageLink>
              ),
            },
            { head: 'Examples', end: true, cell: (one) => number(one.items) },
            { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
            {
              head: 'Actions',
              end: true,
              cell: (one) => (
                <Group gap="xs" justify="end" wrap="nowrap">
                  <Evaluate name={name} dataset={one.dataset} />
                  <Delete name={name} dataset={one.dataset} />
                </Group>
              ),
            },
          ]}
        />
      </Section>
      {dataset !== undefined && items.some((one) => one.dataset === dataset) && <Items name={name} dataset={dataset} />}
    </Stack>
  );
}

function Add({ name, dataset: first, onClose }: { name: string; dataset: string | undefined; onClose: () => void }) {
  const [dataset, setDataset] = useState(first ?? '');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const sending = useSend('evaluations', 'addItems', { quiet: true, done: ({ items }) => `${items.length} added.`, onDone: onClose });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const { items, problem: found } = examplesIn(text);
    const refused = found ?? (items.length > AT_ONCE ? `Add at most ${AT_ONCE} examples at once.` : undefined);
    setProblem(refused);
    if (refused === undefined) sending.mutate({ params: { name, dataset: dataset.trim() }, body: { items } });
  };
  return (
    <Paper withBorder p="md" mb="md">
      <form onSubmit={send} noValidate>
        <Stack>
          <TextInput label="Dataset" placeholder="questions" value={dataset} onChange={(event) => setDataset(event.currentTarget.value)} maw={300} />
          <Textarea
            label="Examples, a line each"
            description={'{"skill": "greet", "args": {"name": "Ada"}, "expected": "Hello Ada"}; without expected, only the rules decide.'}
            value={text}
            error={problem}
            onChange={(event) => setText(event.currentTarget.value)}
            autosize
            minRows={4}
            maxRows={14}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
          {sending.error && <Failure error={sending.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={dataset.trim() === '' || text.trim() === ''}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function Evaluate({ name, dataset }: { name: string; dataset: string }) {
  const navigate = useNavigate();
  const sending = useSend('evaluations', 'evaluate', {
    done: 'Started.',
    onDone: ({ evaluation_id }) =>
      void navigate({ to: '/agents/mine/$name/evaluation', params: { name }, search: { show: 'evaluations', evaluation: evaluation_id } }),
  });
  return (
    <AskingAction
      label="Evaluate"
      size="xs"
      question={`Evaluate ${dataset}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, dataset } })}
    >
      Every example runs on the live version, as a run of yours: what its models cost, it costs.
    </AskingAction>
  );
}

function Delete({ name, dataset }: { name: string; dataset: string }) {
  const sending = useSend('evaluations', 'deleteDataset', { done: `${dataset} is deleted.` });
  return (
    <AskingAction
      label="Delete"
      size="xs"
      question={`Delete ${dataset}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, dataset } })}
    >
      Its examples go. Evaluations of it are kept.
    </AskingAction>
  );
}

function Items({ name, dataset }: { name: string; dataset: string }) {
  const pages = usePages('evaluations', 'items', { params: { name, dataset }, query: { limit: 50 } });
  const remove = useSend('evaluations', 'deleteItem', { done: 'Deleted.' });
  return (
    <Section title={`Examples of ${dataset}`}>
      <List
        label="Examples"
        pages={pages}
        keyOf={({ item_id }) => item_id}
        empty={<Text size="sm">None.</Text>}
        columns={[
          {
            head: 'Example',
            wide: true,
            cell: ({ skill, args, expected, run_id }) => (
              <>
                <code>
                  {skill} {JSON.stringify(args).slice(0, SHOWN)}
                </code>
                <Under>
                  {expected === undefined ? 'the rules decide' : `expected: ${(JSON.stringify(expected) ?? '').slice(0, SHOWN)}`}
                  {run_id !== null && ` · of ${run_id}`}
                </Under>
              </>
            ),
          },
          { head: 'Added', cell: ({ created_at }) => <When at={created_at} /> },
          {
            head: 'Actions',
            end: true,
            cell: ({ item_id }) => (
              <Button size="xs" variant="default" onClick={() => remove.mutate({ params: { name, dataset, item_id } })}>
                Delete
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
