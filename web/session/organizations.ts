// The organizations that the reader may act for: read when somebody looks at the switch, or acts for one.
import { useQuery } from '@tanstack/react-query';
import type { Output } from '../api/client.ts';
import { read } from '../api/query.ts';

type Listed = Output<'organizations', 'list'>['items'][number];

/** As the switch in the header shows them. */
const SHOWN = 50;

export function useOrganizations(isWanted: boolean): readonly Listed[] {
  const { data } = useQuery({ ...read('organizations', 'list', { query: { limit: SHOWN } }), enabled: isWanted, staleTime: 60_000 });
  return data?.items ?? [];
}
