// The account's ways to language models: whose, until when the budget lasts, whether they work.
import { Button, Group, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { ModelsPage } from '../models-page.tsx';
import { Budget } from './budget.tsx';

const CredentialForm = lazy(async () => ({ default: (await import('./credential-form.tsx')).CredentialForm }));
export type Credential = Output<'llmCreds', 'list'>['items'][number];

export function Models() {
  const { items } = useRead('llmCreds', 'list', {});
  const [editing, setEditing] = useState<Credential | 'new'>();
  return (
    <ModelsPage
      lead="Your keys for language models. Agents and the chat use them through the platform, never the keys themselves."
      actions={<Button onClick={() => setEditing('new')}>Add a model</Button>}
    >
      <List
        label="Model credentials"
        pages={items}
        keyOf={({ name }) => name}
        empty={
          <Empty title="You have no model yet." command="svc models set main --provider anthropic">
            Agents that use one, and plans in the chat, need a key of yours. Everything else works without.
          </Empty>
        }
        columns={[
          { head: 'Name', wide: true, cell: (credential) => <Name of={credential} /> },
          { head: 'State', cell: (credential) => <Check of={credential} /> },
          { head: 'This month', cell: (credential) => <Budget of={credential} /> },
          { head: 'Change', end: true, cell: (credential) => <Change of={credential} onEdit={() => setEditing(credential)} /> },
        ]}
      />
      <Suspense>{editing && <CredentialForm credential={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />}</Suspense>
    </ModelsPage>
  );
}

function Name({ of }: { of: Credential }) {
  return (
    <>
      <Group gap={6}>
        <Text fw={600} size="sm">
          {of.name}
        </Text>
        {of.default && <State of="current" label="default" />}
      </Group>
      <Under>
        {of.provider}, {of.model}
        {of.has_key && of.key_hint !== '' && `, key ends with ${of.key_hint}`}
      </Under>
      <Under>
        {of.agent_run_budget_micros === null
          ? 'Agents of others do not use it.'
          : `A run of another user's agent may spend ${dollars(of.agent_run_budget_micros)}.`}
      </Under>
    </>
  );
}

function Check({ of: { check } }: { of: Credential }) {
  return (
    <>
      <State of={check.state} label={{ works: 'works', failed: 'failed', unchecked: 'not checked' }[check.state]} />
      {check.message && <Under>{check.message.slice(0, 300)}</Under>}
      {check.at && (
        <Under>
          <When at={check.at} />
        </Under>
      )}
    </>
  );
}

function Change({ of: { name }, onEdit }: { of: Credential; onEdit: () => void }) {
  const removing = useSend('llmCreds', 'remove', { done: `${name} is deleted.`, refresh: ['llmCreds', 'onboarding'] });
  return (
    <Group gap="xs" justify="end" wrap="nowrap">
      <Action label="Change" size="xs" onAct={onEdit} />
      <AskingAction
        label="Delete"
        size="xs"
        color="red"
        variant="light"
        question={`Delete ${name}?`}
        loading={removing.isPending}
        onAct={() => removing.mutate({ params: { name } })}
      >
        Its key is deleted. Agents and chats that use it get another one, or none. What was used stays in the usage.
      </AskingAction>
    </Group>
  );
}
