import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSignInPath } from '../../session/session.ts';
import { Failure } from '../../kit/failure.tsx';
import { Empty } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { receiptQuery } from './loaded.ts';
import { Verified } from './verified.tsx';

export function ById({ agent, id, isSignedIn }: { agent: string; id: string; isSignedIn: boolean }) {
  const signIn = useSignInPath();
  const { data, error, refetch } = useQuery({ ...receiptQuery(agent, id), enabled: isSignedIn });
  if (!isSignedIn)
    return (
      <Empty title="Sign in to load this receipt.">
        Its caller and the owner of {agent} may read it. Who has its text may check it without an account.
        <Group justify="center" mt="md">
          <Button component="a" href={signIn}>
            Sign in
          </Button>
          <Other />
        </Group>
      </Empty>
    );
  return (
    <>
      <Group gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <code>{id}</code> of {agent}.
        </Text>
        <Other />
      </Group>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {data && <Verified token={data.receipt.token} beside={{ previous: data.previous }} />}
      {!data && !error && (
        <Text size="sm" c="dimmed" aria-busy="true" role="status">
          Loading…
        </Text>
      )}
    </>
  );
}

function Other() {
  return (
    <PageLink to="/receipts" size="sm">
      Check another one
    </PageLink>
  );
}
