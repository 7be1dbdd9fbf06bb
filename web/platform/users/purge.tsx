// Purging an account: everything that it owns goes. The operator shows first that they still are one.
import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { useSession } from '../../session/session.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Section } from '../../kit/page.tsx';
import { useProof } from '../proof.ts';
import { StillOperator } from '../still-operator.tsx';

export function Purge({ userId, email }: { userId: string; email: string }) {
  const isOwn = useSession().user?.user_id === userId;
  const isProven = useProof();
  const [jobId, setJobId] = useState<string>();
  const purging = useSend('admin', 'purgeUsers', { done: 'The purge started.', onDone: ({ job_id }) => setJobId(job_id) });
  return (
    <Section title="Purge" lead="Removes the account with everything that it owns. Receipts, the names of agents and ids stay, without the person.">
      <Stack>
        {!isOwn && !isProven && <StillOperator />}
        <div>
          <AskingAction
            label="Purge the account"
            color="red"
            variant="filled"
            question={`Purge ${email}?`}
            typed={email}
            not={isOwn ? 'Operators cannot purge themselves.' : !isProven && 'Confirm first that you are an operator.'}
            loading={purging.isPending}
            onAct={() => purging.mutate({ query: { user_ids: userId } })}
          >
            The account is suspended, its agents and runs stop, and its data are removed. The purge can be cancelled until it starts; afterwards the account
            cannot be restored.
          </AskingAction>
        </div>
        {jobId && (
          <Text size="sm">
            <Anchor component={Link} to={`/jobs/${jobId}`} underline="always">
              The job
            </Anchor>{' '}
            lists what was removed, table by table.
          </Text>
        )}
      </Stack>
    </Section>
  );
}
