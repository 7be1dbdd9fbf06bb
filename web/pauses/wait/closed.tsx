// A closed decision: who decided what and when, or why nobody can any longer, and what to do then.
import { Alert, Paper, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '../../api/client.ts';
import { read } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';

type Closing = Output<'inbox', 'wait'>;

/** @param tried the reader has just decided, in vain */
export function Closed({ waitId, tried = false }: { waitId: string; tried?: boolean }) {
  const { data, error } = useQuery(read('inbox', 'wait', { params: { wait_id: waitId } }));
  if (error) return <Failure error={error} />;
  return (
    <Alert color="gray" icon={<IconInfoCircle size={18} />} role="status">
      {data ? <How of={data} /> : 'This is decided already.'} {tried && 'Your answer changed nothing.'}
    </Alert>
  );
}

function How({ of }: { of: Closing }) {
  const { state, run_id, expires_at, resolved_at, resolved_by: by } = of;
  const who = by === null ? 'A rule' : by.you ? 'You' : by.email;
  if (state === 'answered' || state === 'approved' || state === 'denied')
    return (
      <>
        {`${who} ${state} this`} {resolved_at !== null && <When at={resolved_at} />}.
      </>
    );
  if (state === 'pending') return <>Others still vote on this.</>;
  return (
    <>
      {state === 'expired' ? 'The time to answer ended' : 'The run ended before an answer came,'} <When at={resolved_at ?? expires_at} />.{' '}
      {run_id !== null && (
        <>
          <PageLink to="/runs/$run_id" params={{ run_id }} inherit>
            Open the run
          </PageLink>{' '}
          to see its end, or call
        </>
      )}
      {run_id === null && 'Call'} {`${of.agent}.${of.skill}`} again if you still need it.
    </>
  );
}

/** Of a link that is older than the decision. */
export function LinkedWait({ waitId }: { waitId: string }) {
  const { data } = useQuery(read('inbox', 'wait', { params: { wait_id: waitId } }));
  return (
    <Paper withBorder p="md" component="article" aria-label={data?.title ?? 'A decision'} data-wait={waitId} maw={820} mb="md">
      <Text size="sm" mb="xs" fw={600}>
        {data?.title}
      </Text>
      <Closed waitId={waitId} />
    </Paper>
  );
}
