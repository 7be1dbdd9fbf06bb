// One comparison: its contestants with their intervals, and the proposal with where it came from.
import { Button, List, Table, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { points } from './line.ts';
import { Interval, type IntervalOf } from './plot.tsx';
import { Replayed } from './repeat.tsx';
import { settingsText } from './settings-text.ts';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/simulations/compared/$job_id');
const OPEN_MS = 1_000;

type Run = Output<'kernelEvolution', 'get'>;

export function Comparison() {
  const { job_id } = route.useParams();
  const navigate = useNavigate();
  const run = useRead('kernelEvolution', 'get', { params: { job_id } }, { every: (last) => (last?.ended_at === null ? OPEN_MS : false) });
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['kernelEvolution', 'workLedger'] });
  const replay = useSend('kernelEvolution', 'replay', {
    onDone: (begun) => void navigate({ to: '/simulations/compared/$job_id', params: { job_id: begun.job_id } }),
  });
  const { title, state, template, world, seed, seeds, done, total, digest, error, contestants, proposal, ended_at, created_at } = run;
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Simulations', to: '/simulations?show=compared' }]}
      beside={<State of={state} />}
      actions={
        <>
          <Button variant="default" loading={replay.isPending} disabled={digest === null} onClick={() => replay.mutate({ params: { job_id } })}>
            Replay
          </Button>
          <AskingAction
            label="Cancel"
            question="Cancel this comparison?"
            not={ended_at !== null && 'It has ended.'}
            loading={cancel.isPending}
            onAct={() => cancel.mutate({ params: { job_id } })}
          >
            What was compared so far is kept.
          </AskingAction>
        </>
      }
    >
      <Facts
        of={{
          World: template ?? inWords(world),
          Seed: seed,
          Contestants: `${done} of ${total}, on ${seeds.length} seeds each`,
          Digest: digest && <Copyable value={digest} label="digest" />,
          Replay: run.replay && <Replayed replay={run.replay} to="/simulations/compared/$job_id" />,
          Began: <When at={created_at} />,
        }}
      />
      {error && <Failure error={new ApiError(0, { ...error })} />}
      {contestants.length > 0 && (
        <Section title="Contestants" lead="Points of 100, and where the mean lies with a probability of 95 %. All ran on the same seeds.">
          <Contestants of={contestants} />
        </Section>
      )}
      {digest !== null && (
        <Section title="Proposal" lead="It is switched off: nothing applies it.">
          {proposal ? <Proposal of={proposal} /> : <Text size="sm">None is surely better than the first, so nothing is proposed.</Text>}
        </Section>
      )}
    </Page>
  );
}

const words = ({ mean, low, high }: IntervalOf): string => `${points(mean)} (${points(low)} to ${points(high)})`;

function Contestants({ of }: { of: Run['contestants'] }) {
  const [from, to] = [Math.min(0, ...of.map(({ gain }) => gain.low)), Math.max(0, ...of.map(({ gain }) => gain.high))];
  return (
    <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Contestants' } }}>
      <Table aria-label="Contestants">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>How it acts</Table.Th>
            <Table.Th>Score</Table.Th>
            <Table.Th>Against the first</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map(({ name, change, parent, strategy, parameters, score, gain, violations }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                {change !== '' && (
                  <Text size="xs" c="dimmed">
                    {change}, of {parent}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="sm">{inWords(strategy)}</Text>
                <Text size="xs" c="dimmed">
                  {settingsText(parameters)}
                  {violations > 0 && ` ${violations} runs broke an invariant`}
                </Text>
              </Table.Td>
              <Table.Td>{words(score)}</Table.Td>
              <Table.Td>
                <Interval of={gain} from={from} to={to} label={`Against the first: ${words(gain)}`} />
                <Text size="xs" c="dimmed">
                  {words(gain)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Proposal({ of: { role, strategy, parameters, lineage } }: { of: NonNullable<Run['proposal']> }) {
  return (
    <>
      <Text size="sm">
        {role}: {inWords(strategy)}
        {Object.keys(parameters).length > 0 && `, ${settingsText(parameters)}`}
      </Text>
      <Text size="sm" mt="sm">
        Where it came from, oldest first:
      </Text>
      <List size="sm" type="ordered">
        {lineage.map(({ name, change, digest }) => (
          <List.Item key={name}>
            {name}
            {change !== '' && `: ${change}`} <code>{digest.slice(0, 12)}</code>
          </List.Item>
        ))}
      </List>
    </>
  );
}
