// One run of a team: its steps with their results, the gates that wait, spending, and what must be there at
// the end.
import { Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ApiError } from '#contract/client.ts';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Json } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

type Run = Output<'collectiveRuntime', 'run'>;
const route = getRouteApi('/teams/$dag_run_id');
const OPEN_MS = 2_000;

export function Team() {
  const { dag_run_id } = route.useParams();
  const run = useRead('collectiveRuntime', 'run', { params: { dag_run_id } }, { every: (last) => (last?.ended_at === null ? OPEN_MS : false) });
  const cancel = useSend('workLedger', 'cancel', { done: 'It is being cancelled.', refresh: ['collectiveRuntime', 'workLedger'] });
  const learn = useSend('collectiveRuntime', 'extract', { done: 'Kept.', refresh: ['collectiveRuntime'] });
  const { goal, state, protocol, job_id, ended_at, created_at, spent_micros, budget_cents, replans_left, plan } = run;
  return (
    <Page
      title={goal.length > 80 ? `${goal.slice(0, 80)}…` : goal}
      beside={<State of={state} />}
      crumbs={[{ label: 'Teams', to: '/teams' }]}
      actions={
        <>
          <Action
            label="Keep the lesson"
            not={ended_at === null && 'It has not ended.'}
            loading={learn.isPending}
            onAct={() => learn.mutate({ body: { dag_run_id } })}
          />
          <AskingAction
            label="Cancel"
            question="Cancel this run?"
            not={ended_at !== null && 'It has ended.'}
            loading={cancel.isPending}
            onAct={() => cancel.mutate({ params: { job_id } })}
          >
            Steps that run are cancelled too.
          </AskingAction>
        </>
      }
    >
      <Gates run={run} />
      <Facts
        of={{
          Protocol: inWords(protocol),
          Spent: `$${(spent_micros / 1e6).toFixed(4)} of $${(budget_cents / 100).toFixed(2)}`,
          'Replacements left': replans_left,
          Began: <When at={created_at} />,
          Plan: (
            <PageLink to="/plans/$dag_run_id" params={{ dag_run_id }} inherit>
              As a graph
            </PageLink>
          ),
        }}
      />
      {plan.error && <Failure error={new ApiError(0, { ...plan.error })} />}
      <Section title="Requirements">
        {run.evidence.map(({ evidence, met, about }) => (
          <Group key={evidence} gap="xs">
            {met || ended_at !== null ? <State of={met ? 'passed' : 'missing'} /> : <State of="pending" label="not yet" />}
            <Text size="sm">{about}</Text>
          </Group>
        ))}
      </Section>
      <Section title="Steps">
        {plan.nodes.map((node) => (
          <Step key={node.number} node={node} role={run.roles.find(({ number }) => number === node.number)} />
        ))}
      </Section>
    </Page>
  );
}

function Gates({ run: { dag_run_id, gates } }: { run: Run }) {
  const approve = useSend('collectiveRuntime', 'approve', { done: 'Decided.', refresh: ['collectiveRuntime', 'workLedger'] });
  if (gates.length === 0) return null;
  return (
    <Section title="Needs your answer">
      {gates.map(({ number, step }) => (
        <Group key={number} gap="xs">
          <Text size="sm">
            Step {number}, {step}
          </Text>
          <Button size="xs" loading={approve.isPending} onClick={() => approve.mutate({ params: { dag_run_id }, body: { number } })}>
            Open the gate
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={approve.isPending}
            onClick={() => approve.mutate({ params: { dag_run_id }, body: { number, decision: 'deny' } })}
          >
            Deny
          </Button>
        </Group>
      ))}
    </Section>
  );
}

function Step({ node, role }: { node: Run['plan']['nodes'][number]; role: Run['roles'][number] | undefined }) {
  const { number, agent, skill, state, result, error, receipt_id, run_id } = node;
  return (
    <div>
      <Group gap="xs" mt="sm">
        <Text size="sm" fw={600}>
          {number}. {role?.step ?? skill}
        </Text>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {agent}.{skill}
          {role !== undefined && role.attempt > 0 && `, replacement ${role.attempt}`}
        </Text>
        <State of={state} />
        {run_id !== null && receipt_id !== null && (
          <PageLink to="/receipts" search={{ agent, id: receipt_id }} size="sm">
            Receipt
          </PageLink>
        )}
      </Group>
      {error !== null && (
        <Text size="sm">
          {error.code}: {error.message}
        </Text>
      )}
      {state === 'succeeded' && <Json value={result} label={`Result of step ${number}`} maxHeight={240} />}
    </div>
  );
}
