// A file that two people changed: both are shown, and one counts.
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failure } from '../../kit/failure.tsx';
import { Loading } from '../../kit/page.tsx';
import { maybe } from '../../agents/owner/maybe.ts';
import { Diff } from './diff.tsx';
import { onTopOf, without } from './drafts.ts';
import type { Edits } from './source.tsx';

export interface ConflictProps {
  name: string;
  path: string;
  /** null: the reader deletes it. */
  mine: string | null;
  change: Edits['change'];
  onDecided: () => void;
}

export function Conflict({ name, path, mine, change, onDecided }: ConflictProps) {
  // As it is now, not as it was kept.
  const {
    data: theirs,
    error,
    isFetching,
  } = useQuery({ ...maybe('sourceEditor', 'file', { params: { name, path } }), staleTime: 0, refetchOnMount: 'always' });
  if (error) return <Failure error={error} />;
  if (theirs === undefined || isFetching) return <Loading lines={2} />;
  const decide = (how: Parameters<Edits['change']>[0]): void => {
    change(how);
    onDecided();
  };
  const isText = theirs === null || theirs.encoding === 'utf-8';
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Conflict in ${path}`}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text ff="monospace" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {path}
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => decide((was) => without(was, path))}>
              Take theirs
            </Button>
            <Button size="xs" onClick={() => decide((was) => onTopOf(was, path, theirs?.blob ?? null))}>
              Keep mine
            </Button>
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          {theirs === null ? 'They deleted it.' : mine === null ? 'You delete it; they changed it.' : 'Red is theirs, green is yours.'}
        </Text>
        {isText && mine !== null && <Diff path={path} before={theirs?.content ?? ''} after={mine} label={`Theirs and yours of ${path}`} />}
      </Stack>
    </Paper>
  );
}
