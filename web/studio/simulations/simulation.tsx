// One simulation: its plots, what held, how each strategy did, and whether it can be repeated.
import { Badge, Group, Table, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Plots } from './plot.tsx';
import { Repeat, Replayed } from './repeat.tsx';
import { settingsText } from './settings-text.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/simulations/$job_id');
const OPEN_MS = 1_000;

type Run = Output<'kernelSimulations', 'get'>;

export function SimulationPage() {
  const { job_id } = route.useParams();
  const navigate = useNavigate();
  const run = useRead('kernelSimulations', 'get', { params: { job_id } }, { every: (last) => (last?.ended_at === null ? OPEN_MS : false) });
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['kernelSimulations', 'workLedger'] });
  const replay = useSend('kernelSimulations', 'replay', {
    onDone: (begun) => void navigate({ to: '/simulations/$job_id', params: { job_id: begun.job_id } }),
  });
  const { title, state, template, world, seed, done, total, digest, verdict, error, metrics, calls, ended_at, created_at } = run;
  return (
    <Page
      title={title}
      crumbs={[{ label: 'Simulations', to: '/simulations' }]}
      beside={<State of={state} />}
      actions={
        <>
          <Repeat run={run} onReplay={verdict === null ? undefined : () => replay.mutate({ params: { job_id } })} loading={replay.isPending} />
          <AskingAction
            label="Cancel"
            question="Cancel this simulation?"
            not={ended_at !== null && 'It has ended.'}
            loading={cancel.isPending}
            onAct={() => cancel.mutate({ params: { job_id } })}
          >
            Runs of its agents are cancelled too.
          </AskingAction>
        </>
      }
    >
      <Facts
        of={{
          World: template ?? inWords(world),
          Seed: seed,
          Steps: `${done} of ${total}`,
          Digest: digest && <Copyable value={digest} label="digest" />,
          Replay: run.replay && <Replayed replay={run.replay} to="/simulations/$job_id" />,
          Began: <When at={created_at} />,
          Job: (
            <PageLink to="/jobs/$job_id" params={{ job_id }} inherit>
              Its events
            </PageLink>
          ),
        }}
      />
      {error && <Failure error={new ApiError(0, { ...error })} />}
      {done > 0 && (
        <Section title="Measured">
          <Plots metrics={metrics} />
        </Section>
      )}
      <Section title="Invariants" lead="Checked after every step, independently of what guards the acts.">
        <Group gap="xs">
          {run.invariants.map((rule, at) => (
            <Badge key={at} variant="light" tt="none" color={run.violation?.rule === rule ? 'red' : verdict === null ? 'gray' : 'teal'}>
              {inWords(rule)}
            </Badge>
          ))}
        </Group>
        {run.violation && (
          <Text size="sm" mt="sm">
            Step {run.violation.step}
            {run.violation.actor !== null && `, ${run.violation.actor}`}: {run.violation.message}
          </Text>
        )}
      </Section>
      {run.outcomes.length > 0 && (
        <Section title="Strategies" lead="Best first: by what each has gained.">
          <Outcomes of={run.outcomes} />
        </Section>
      )}
      {calls.length > 0 && (
        <Section title="Turns of agents">
          <Calls of={calls} />
        </Section>
      )}
      <Section title="Specification">
        <Json value={run.spec} label="specification" maxHeight={320} />
      </Section>
    </Page>
  );
}

function Outcomes({ of }: { of: Run['outcomes'] }) {
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Strategies' } }}>
      <Table aria-label="Strategies">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Strategy</Table.Th>
            <Table.Th>Settings</Table.Th>
            <Table.Th ta="end">Left</Table.Th>
            <Table.Th ta="end">Gained by each, micro-credits</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map(({ role, strategy, parameters, actors, alive, gained_micros }, at) => (
            <Table.Tr key={at}>
              <Table.Td>
                {role}, {inWords(strategy)}
              </Table.Td>
              <Table.Td>{settingsText(parameters)}</Table.Td>
              <Table.Td ta="end">
                {alive} of {actors}
              </Table.Td>
              <Table.Td ta="end">{number(Math.floor(gained_micros / actors))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Calls({ of }: { of: Run['calls'] }) {
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'Turns of agents' } }}>
      <Table aria-label="Turns of agents">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th>Actor</Table.Th>
            <Table.Th>Run</Table.Th>
            <Table.Th>Did</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {of.map(({ call, step, actor, agent, run_id, act, error }) => (
            <Table.Tr key={call}>
              <Table.Td>{step}</Table.Td>
              <Table.Td>{actor}</Table.Td>
              <Table.Td>
                {run_id === null ? (
                  agent
                ) : (
                  <PageLink to="/runs/$run_id" params={{ run_id }}>
                    {agent}
                  </PageLink>
                )}
              </Table.Td>
              <Table.Td>{error?.message ?? (act ? inWords(act) : 'nothing that can be done')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
