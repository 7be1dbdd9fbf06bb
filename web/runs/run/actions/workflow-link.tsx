import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api/query.ts';

/** For operators, where the installation says where its workflows are shown. */
export function WorkflowLink({ jobId }: { jobId: string }) {
  const { data } = useQuery({ ...read('installation', 'get'), staleTime: 60 * 60_000 });
  const base = data?.workflows_url;
  if (base == null || !/^https?:\/\//.test(base)) return null;
  return (
    <Anchor href={`${base}?${new URLSearchParams({ query: `SvcJob="${jobId}"` })}`} target="_blank" rel="noopener noreferrer nofollow" inherit>
      in Temporal
    </Anchor>
  );
}
