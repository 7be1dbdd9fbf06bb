// Agents that have the database, each in an environment variable.
import { Box } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Whole } from './whole.tsx';
import { CHANGED, type Detail } from './model.ts';
import { inWords } from '../../kit/in-words.ts';

type Binding = Detail['bindings'][number];

export function Bindings({ of }: { of: Detail }) {
  const [isBinding, setBinding] = useState(false);
  const columns: Column<Binding>[] = [
    {
      head: 'Agent',
      wide: true,
      cell: ({ agent }) => (
        <PageLink to="/agents/$name" params={{ name: agent }}>
          {agent}
        </PageLink>
      ),
    },
    {
      head: 'Variable',
      cell: ({ variable, declared }) => (
        <>
          {variable}
          {declared && <Under>declared in svc.yaml</Under>}
        </>
      ),
    },
    { head: 'Branch', cell: ({ branch }) => branch },
    { head: 'Access', cell: ({ access }) => <Whole>{inWords(access)}</Whole> },
    { head: 'Change', end: true, cell: (binding) => <Unbind projectId={of.project_id} binding={binding} /> },
  ];
  return (
    <Section
      title="Agents"
      lead="An agent that is bound has the URL in an environment variable."
      actions={<Action label="Bind an agent" not={of.state !== 'ready' && 'The database is not ready.'} onAct={() => setBinding(true)} />}
    >
      {isBinding && (
        <Box maw={480} mb="md">
          <RequestForm
            group="databases"
            route="bind"
            input={{ params: { project_id: of.project_id } }}
            submit="Bind"
            done={({ binding }) => `${binding.agent} has it in ${binding.variable}.`}
            refresh={[...CHANGED]}
            onDone={() => setBinding(false)}
            onCancel={() => setBinding(false)}
          />
        </Box>
      )}
      <List
        label="Agents"
        pages={of.bindings}
        columns={columns}
        keyOf={({ binding_id }) => binding_id}
        empty={<Empty title="No agent is bound to it." command={`svc databases bind ${of.name} AGENT`} />}
      />
    </Section>
  );
}

function Unbind({ projectId, binding }: { projectId: string; binding: Binding }) {
  const unbinding = useSend('databases', 'unbind', { done: `The database was unbound from ${binding.agent}.`, refresh: [...CHANGED] });
  return (
    <AskingAction
      label="Unbind"
      size="xs"
      question={`Unbind the database from ${binding.agent}?`}
      loading={unbinding.isPending}
      onAct={() => unbinding.mutate({ params: { project_id: projectId, binding_id: binding.binding_id } })}
    >
      Its live instance is replaced, without {binding.variable}.
    </AskingAction>
  );
}
