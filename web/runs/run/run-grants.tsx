// What the run and the runs below it could read and write: each grant with all that came from it.
import { Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { ApiError } from '#contract/client.ts';
import { SVC } from '#contract/wire/trace-conventions.ts';
import type { Output } from '../../api/client.ts';
import { read } from '../../api/query.ts';
import { Copyable } from '../../kit/copy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import type { ShownRun } from './use-run.ts';

type Grant = Output<'grants', 'get'>;
type Row = Omit<Grant, 'extensions' | 'truncated'>;

const MOST = 50;

export function RunGrants({ shown: { trace } }: { shown: ShownRun }) {
  const ids = [...new Set(trace.spans.map(({ attributes }) => attributes[SVC.grant]).filter((id) => typeof id === 'string' && /^grt_[0-9a-f-]{36}$/.test(id)))];
  const grantQueries = useQueries({ queries: ids.slice(0, MOST).map((id) => read('grants', 'get', { params: { grant_id: String(id) } })) });
  if (ids.length === 0)
    return <Empty title="It ran without a grant.">It could read none of your files. A call is given files by a grant that goes with it.</Empty>;
  const shown = grantQueries.flatMap(({ data }) => data ?? []);
  // One that came from another one is shown below that one.
  const below = new Set(shown.flatMap(({ extensions }) => extensions.map(({ grant_id }) => grant_id)));
  return (
    <Stack>
      {grantQueries.some(({ isPending }) => isPending) && <Skeleton h={80} aria-busy="true" aria-label="Loading" />}
      {grantQueries.map(({ error }, index) => error && <NotShown key={String(ids[index])} id={String(ids[index])} error={error} />)}
      {shown
        .filter(({ grant_id }) => !below.has(grant_id))
        .map(({ extensions, truncated, ...row }) => (
          <div key={row.grant_id}>
            <GrantRow row={row} level={0} />
            {extensions.map(({ level, ...one }) => (
              <GrantRow key={one.grant_id} row={one} level={level} />
            ))}
            {truncated && <Text size="sm">More came from it than is shown.</Text>}
          </div>
        ))}
    </Stack>
  );
}

function NotShown({ id, error }: { id: string; error: Error }) {
  if (!(error instanceof ApiError && error.status === 404)) return <Failure error={error} />;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      <code>{id}</code> is for files of another user, or is no longer stored.
    </Text>
  );
}

const WHAT: Record<Row['kind'], string> = { mint: 'issued to', delegate: 'delegated to', extend: 'widened for' };
const MOST_PATTERNS = 20;

function GrantRow({ row, level }: { row: Row; level: number }) {
  const { audience, kind, state, allow_patterns: allow, deny_patterns: deny, mode, outputs_prefix: prefix, expires_at, issuer } = row;
  const list = (patterns: string[]): string =>
    patterns.slice(0, MOST_PATTERNS).join(', ') + (patterns.length > MOST_PATTERNS ? ` and ${patterns.length - MOST_PATTERNS} more` : '');
  return (
    <Paper withBorder p="sm" mb={6} style={{ marginInlineStart: Math.min(level, 8) * 22 }}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {WHAT[kind]} <b>{audience}</b>
          {kind === 'delegate' && ` by ${issuer}`}
        </Text>
        <Group gap="xs">
          <State of={state} />
          <Text size="xs" c="dimmed">
            ends <When at={expires_at} />
          </Text>
        </Group>
      </Group>
      <Text size="sm" component="div" mt={4} style={{ overflowWrap: 'anywhere' }}>
        <div>
          reads <code>{list(allow)}</code>
          {deny.length > 0 && (
            <>
              {' '}
              but not <code>{list(deny)}</code>
            </>
          )}
        </div>
        <div>{mode === 'read_only' ? 'writes nothing' : `stages changes ${prefix === null ? 'of all it may read' : `below ${prefix}`}`}</div>
      </Text>
      <Text size="xs" c="dimmed" component="div" mt={2}>
        <Copyable value={row.grant_id} label="grant id" />
      </Text>
    </Paper>
  );
}
