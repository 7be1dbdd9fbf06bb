// Accounts that the owner gave scopes of the agent.
import { Button, Paper } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';

export function Callers({ name }: { name: string }) {
  const { items, declared } = useRead('callerScopes', 'list', { params: { name } });
  const [isGiving, setGiving] = useState(false);
  return (
    <Section
      title="Scopes of callers"
      lead={
        declared.length === 0
          ? 'No skill requires a scope: callers of the agent may call all of them.'
          : `Skills require: ${declared.join(', ')}. You have all of them, members by their role, and tokens those of their skills.`
      }
      actions={!isGiving && <Button onClick={() => setGiving(true)}>Give scopes</Button>}
    >
      {isGiving && (
        <Paper withBorder p="md" mb="md" maw={620}>
          <RequestForm
            group="callerScopes"
            route="give"
            input={{ params: { name } }}
            initial={{ scopes: declared }}
            submit="Give scopes"
            done={({ account, scopes }) => `${account} has ${scopes.join(', ')}.`}
            refresh={['callerScopes']}
            onDone={() => setGiving(false)}
            onCancel={() => setGiving(false)}
          />
        </Paper>
      )}
      <List
        label="Scopes of callers"
        pages={items}
        keyOf={({ account_id }) => account_id}
        empty={!isGiving && <Empty title="No other account has scopes." command={`svc callers grant ${name} ACCOUNT SCOPE`} />}
        columns={[
          {
            head: 'Account',
            wide: true,
            cell: ({ account, account_id, scopes }) => (
              <>
                <bdi>{account}</bdi>
                <Under>
                  {scopes.join(', ')} · {account_id}
                </Under>
              </>
            ),
          },
          { head: 'Since', cell: ({ updated_at }) => <When at={updated_at} /> },
          { head: 'Actions', end: true, cell: ({ account, account_id }) => <Withdraw name={name} id={account_id} account={account} /> },
        ]}
      />
    </Section>
  );
}

function Withdraw({ name, id, account }: { name: string; id: string; account: string }) {
  const sending = useSend('callerScopes', 'withdraw', { done: 'The scopes are withdrawn.', refresh: ['callerScopes'] });
  return (
    <AskingAction
      label="Withdraw"
      size="xs"
      question={`Withdraw the scopes of ${account}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, account_id: id } })}
    >
      Skills that require them refuse the account from the next call on.
    </AskingAction>
  );
}
