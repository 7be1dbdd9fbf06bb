// The reader shows that the identity provider still calls them an operator: by signing in again, or by a
// token of the command line tool.
import { Button, Group, Paper, PasswordInput, Stack, Text } from '@mantine/core';
import { useEffect, useState, type FormEvent } from 'react';
import { useSend } from '../api/query.ts';
import { useSession, useSignInPath } from '../session/session.ts';
import { InTerminal } from '../kit/in-terminal.tsx';
import { Failure } from '../kit/failure.tsx';
import { Section } from '../kit/page.tsx';
import { State } from '../kit/state.tsx';
import { cameBack, leaving, prove, useProof } from './proof.ts';

export function StillOperator() {
  const session = useSession();
  const isProven = useProof();
  const signIn = useSignInPath();
  useEffect(() => cameBack(session), [session]);
  return (
    <Section
      title="Confirm it’s you"
      lead="Before a serious action the platform asks the identity provider whether you are still an operator. The answer counts for 15 minutes in this tab."
    >
      <Paper withBorder p="md">
        {isProven ? (
          <Group gap="xs">
            <State of="works" label="shown" />
            <Text size="sm">The identity provider calls you an operator.</Text>
          </Group>
        ) : (
          <Stack>
            <Group gap="sm">
              <Button component="a" href={signIn} variant="default" onClick={() => leaving(session)}>
                Sign in again
              </Button>
              <Text size="sm" c="dimmed">
                You come back to this page. Or show a token of the command line tool:
              </Text>
            </Group>
            <TokenForm />
          </Stack>
        )}
      </Paper>
    </Section>
  );
}

function TokenForm() {
  const [token, setToken] = useState('');
  const showing = useSend('admin', 'login', {
    quiet: true,
    refresh: ['auth'],
    onDone: () => {
      setToken('');
      prove(Date.now());
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() !== '') showing.mutate({ body: { access_token: token.trim() } });
  };
  return (
    <form onSubmit={send} autoComplete="off">
      <Stack gap="xs">
        <InTerminal command="svc token" />
        <Group align="end" gap="xs">
          <PasswordInput
            label="Access token"
            autoComplete="off"
            style={{ flex: '1 1 16rem' }}
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={showing.isPending} disabled={token.trim() === ''}>
            Show it
          </Button>
        </Group>
        {showing.error && <Failure error={showing.error} />}
      </Stack>
    </form>
  );
}
