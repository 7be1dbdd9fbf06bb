// Who may read or write a file: the grants that cover its path now.
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { send } from '../../api/client.ts';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Revoke } from '../grants/revoke.tsx';
import { accessTo, type GrantRow } from '../grants/model.ts';
import { number } from '../../kit/number.ts';

const Share = lazy(async () => ({ default: (await import('../grants/share.tsx')).Share }));

export function FileAccess({ path }: { path: string }) {
  const { data, error, refetch } = useQuery({ queryKey: ['grants', 'recent'], queryFn: ({ signal }) => recentGrants(signal) });
  const [isSharing, { open, close }] = useDisclosure();
  return (
    <Section
      title="Who may read or write this"
      actions={
        <Button size="xs" variant="default" onClick={open}>
          Share
        </Button>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={60} />}
      {data && (
        <List
          label="Grants that cover this file"
          pages={accessTo(path, data.grants)}
          keyOf={({ grant }) => grant.grant_id}
          empty={<Empty title="Only you.">No valid grant covers this file.</Empty>}
          columns={[
            { head: 'Agent', wide: true, cell: ({ grant }) => <Holder of={grant} /> },
            { head: 'May', cell: ({ write }) => <State of={write ? 'warning' : 'read'} label={write ? 'read and write' : 'read'} /> },
            { head: 'Revoke', end: true, cell: ({ grant }) => <Revoke grant={grant} isValid size="xs" /> },
          ]}
        />
      )}
      {data?.hasMore && (
        <Text size="sm" c="dimmed" mt="xs">
          Among your {number(data.grants.length)} newest grants.
        </Text>
      )}
      <Suspense>{isSharing && <Share patterns={[path]} onClose={close} />}</Suspense>
    </Section>
  );
}

function Holder({ of: { grant_id, audience, expires_at } }: { of: GrantRow }) {
  return (
    <>
      <Group gap={4}>
        <PageLink to="/grants/$grant_id" params={{ grant_id }} size="sm">
          {audience}
        </PageLink>
      </Group>
      <Under>
        ends <When at={expires_at} />
      </Under>
    </>
  );
}

const PAGE = 200;
const MOST_PAGES = 10;
/** No grant lives longer (MAX_GRANT_TTL_SECONDS of the contract): older ones have ended. */
const LONGEST_LIFE_MS = 7 * 86_400_000;

async function recentGrants(signal: AbortSignal): Promise<{ grants: GrantRow[]; hasMore: boolean }> {
  const grants: GrantRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await send('grants', 'list', { query: { limit: PAGE, cursor } }, { signal });
    grants.push(...answer.items);
    const oldest = answer.items.at(-1);
    if (answer.next_cursor === null || !oldest || Date.parse(oldest.issued_at) < Date.now() - LONGEST_LIFE_MS) return { grants, hasMore: false };
    cursor = answer.next_cursor;
  }
  return { grants, hasMore: true };
}
