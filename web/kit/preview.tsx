// A file as it is best read. What an agent made never runs here: images are shown by elements that run
// nothing, pages as their text.
import { Alert, Anchor, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { linkTo } from '../api/organization.ts';
import { size as sizeOf } from './bytes.ts';
import { Failure } from './failure.tsx';
import { fetchBytes, type Fetched } from './preview/bytes.ts';

export interface PreviewProps {
  /** A path of this origin that answers the bytes. */
  url: string;
  name: string;
  /** Media type, where the answer names none. */
  type?: string;
}

const View = lazy(async () => ({ default: (await import('./preview/view.tsx')).View }));

export function Preview({ url, name, type }: PreviewProps) {
  const [all, setAll] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', url, name, type, all],
    queryFn: ({ signal }) => fetchBytes(url, { name, type, all, signal }),
    // The bytes do not stay in memory.
    gcTime: 0,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Waiting />;
  return (
    <Stack gap="xs">
      {data.bytes ? (
        <Suspense fallback={<Waiting />}>
          <View bytes={data.bytes} shown={data.shown} name={name} />
        </Suspense>
      ) : (
        <NotShown fetched={data} onAll={all ? undefined : () => setAll(true)} />
      )}
      <Group gap="xs">
        <Anchor href={linkTo(url)} download={name} size="sm">
          Download
        </Anchor>
        {data.size !== undefined && (
          <Text size="xs" c="dimmed">
            {sizeOf(data.size)}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Waiting() {
  return (
    <Group justify="center" mih={120} aria-busy="true" aria-label="Loading the file" role="status">
      <Loader size="sm" />
    </Group>
  );
}

function NotShown({ fetched: { shown, size }, onAll }: { fetched: Fetched; onAll: (() => void) | undefined }) {
  if (shown.as === 'media') return <Alert color="gray">Sound and video are not played here. Download the file to play it.</Alert>;
  if (shown.as === 'none') return <Alert color="gray">Files of this type are not shown here. Download it to open it.</Alert>;
  return (
    <Alert color="gray" title={size === undefined ? 'This file is large.' : `This file is large: ${sizeOf(size)}.`}>
      {onAll ? (
        <Button size="xs" variant="light" onClick={onAll}>
          Show it all the same
        </Button>
      ) : (
        'It is too large to be shown here. Download it to open it.'
      )}
    </Alert>
  );
}
