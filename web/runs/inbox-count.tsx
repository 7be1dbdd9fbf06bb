// How many decisions wait for the reader, at the bell.
import { Indicator } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../api/query.ts';

export const waitingRuns = { query: { kind: 'run', state: 'waiting' as const, limit: 200 } };

export function InboxCount() {
  const { data } = useQuery({ ...read('workLedger', 'activity', waitingRuns), refetchInterval: 10_000 });
  const count = data?.items.length ?? 0;
  return count === 0 ? null : (
    <Indicator inline label={count > 99 ? '99+' : count} size={15} color="orange" offset={-2} position="top-end" aria-label={`${count} wait`} />
  );
}
