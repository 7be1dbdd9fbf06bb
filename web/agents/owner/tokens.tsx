// Tokens of programs that call the agent.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { ProgramForm } from './lazy-program-form.tsx';
import { ShownOnce } from './shown-once.tsx';

export interface OfAgent {
  name: string;
  skills: readonly string[];
}

const DAYS = 90;

export function Tokens({ name, skills, startsOpen }: OfAgent & { startsOpen: boolean }) {
  const tokens = useRead('agents', 'apiTokens', { params: { name } });
  const [isMaking, setMaking] = useState(startsOpen);
  const [made, setMade] = useState<Output<'agents', 'createApiToken'>>();
  const sending = useSend('agents', 'createApiToken', {
    quiet: true,
    onDone: (token) => {
      setMade(token);
      setMaking(false);
    },
  });
  return (
    <Section
      title="API tokens"
      lead="For programs that call this agent. A token does nothing else."
      actions={!isMaking && <Button onClick={() => setMaking(true)}>Create a token</Button>}
    >
      {made && (
        <ShownOnce
          title="The token is shown this once"
          values={[{ label: `Token for ${made.label}`, value: made.token }]}
          note="Send it as Authorization: Bearer TOKEN."
          onDone={() => setMade(undefined)}
        />
      )}
      {isMaking && (
        <ProgramForm
          submit="Create token"
          skills={skills}
          days={DAYS}
          pending={sending.isPending}
          error={sending.error}
          onCancel={() => setMaking(false)}
          onSend={(body) => sending.mutate({ params: { name }, body })}
        />
      )}
      <List
        label="API tokens"
        pages={tokens}
        keyOf={({ token_id }) => String(token_id)}
        empty={!isMaking && <Empty title="No program has a token." command={`svc tokens create ${name} --label "nightly job"`} />}
        columns={[
          {
            head: 'Program',
            wide: true,
            cell: ({ label, scopes, token_id }) => (
              <>
                <bdi>{label}</bdi>
                <Under>
                  {scopes === null ? 'all skills' : scopes.join(', ')} · number {token_id}
                </Under>
              </>
            ),
          },
          { head: 'Used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <When at={last_used_at} />) },
          { head: 'Ends', cell: ({ expires_at }) => <When at={expires_at} /> },
          { head: 'Actions', end: true, cell: ({ token_id, label }) => <Revoke name={name} id={token_id} label={label} /> },
        ]}
      />
    </Section>
  );
}

function Revoke({ name, id, label }: { name: string; id: number; label: string }) {
  const sending = useSend('agents', 'revokeApiToken', { done: 'The token is revoked.' });
  return (
    <AskingAction
      label="Revoke"
      size="xs"
      question={`Revoke the token for ${label}?`}
      loading={sending.isPending}
      onAct={() => sending.mutate({ params: { name, token_id: id } })}
    >
      The program cannot call the agent any more, at once.
    </AskingAction>
  );
}
