// What is being uploaded, and what is left to decide.
import { Button, CloseButton, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { client } from '../../api/client.ts';
import { queries } from '../../api/query.ts';
import { size } from '../../kit/bytes.ts';
import { sendFile } from './send-file.ts';
import { type Upload, Uploads } from './uploads.ts';

/** One for the whole page: it goes on when the reader looks elsewhere. */
export const uploads = new Uploads(
  sendFile,
  () => void Promise.all([queries().invalidateQueries({ queryKey: ['files'] }), queries().invalidateQueries({ queryKey: ['fileUploads'] })]),
  (upload_id) =>
    void client.fileUploads
      .cancel({ params: { upload_id } })
      // Were it kept, it would be shown as unfinished.
      .catch(() => undefined)
      .then(() => queries().invalidateQueries({ queryKey: ['fileUploads'] })),
);

const SHOWN = 30;

export function UploadList() {
  const all = useSyncExternalStore(uploads.subscribe, uploads.all, uploads.all);
  const isBusy = all.some(isUnderWay);
  useEffect(() => {
    if (!isBusy) return undefined;
    // The browser asks before it leaves: an upload does not continue in a closed tab.
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isBusy]);
  if (all.length === 0) return null;
  const stored = all.filter(({ state }) => state === 'stored').length;
  const over = all.some((one) => !isUnderWay(one) && one.state !== 'paused');
  const rest = all.filter(({ state }) => state !== 'stored');
  return (
    <Paper withBorder p="md" component="section" aria-label="Uploads">
      <Group justify="space-between" mb={rest.length > 0 ? 'xs' : 0}>
        <Text fw={600} size="sm" role="status">
          {stored} of {all.length} {all.length === 1 ? 'file' : 'files'} stored
        </Text>
        {over && (
          <Button size="compact-xs" variant="subtle" onClick={() => uploads.clear()}>
            Clear
          </Button>
        )}
      </Group>
      <Stack gap={6}>
        {rest.slice(0, SHOWN).map((one) => (
          <Line key={one.id} of={one} />
        ))}
      </Stack>
      {rest.length > SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          and {rest.length - SHOWN} more
        </Text>
      )}
    </Paper>
  );
}

const isUnderWay = ({ state }: Upload): boolean => state === 'queued' || state === 'sending';

function Line({ of: { id, path, size: bytes, sent, state, why, large } }: { of: Upload }) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" miw={0} style={{ overflowWrap: 'anywhere' }} dir="auto">
          {path}
        </Text>
        <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
          {(state === 'sending' || state === 'paused') && (
            <Text size="xs" c="dimmed">
              {size(sent)} of {size(bytes)}
            </Text>
          )}
          {state === 'sending' && large && (
            <Button size="compact-xs" variant="default" aria-label={`Pause ${path}`} onClick={() => uploads.pause(id)}>
              Pause
            </Button>
          )}
          {state === 'paused' && (
            <Button size="compact-xs" variant="light" aria-label={`Continue ${path}`} onClick={() => uploads.retry(id)}>
              Continue
            </Button>
          )}
          {state === 'exists' && (
            <Button size="compact-xs" color="orange" variant="light" aria-label={`Replace ${path}`} onClick={() => uploads.replace(id)}>
              Replace
            </Button>
          )}
          {(state === 'failed' || state === 'cancelled') && (
            <Button size="compact-xs" variant="light" aria-label={`Try ${path} again`} onClick={() => uploads.retry(id)}>
              Try again
            </Button>
          )}
          {(state === 'queued' || state === 'sending' || state === 'paused' || state === 'exists') && (
            <CloseButton size="sm" aria-label={`Do not upload ${path}`} onClick={() => uploads.cancel(id)} />
          )}
        </Group>
      </Group>
      {(state === 'sending' || state === 'paused') && (
        <Progress size="xs" {...(state === 'paused' && { color: 'gray' })} value={bytes === 0 ? 100 : (sent / bytes) * 100} aria-label={`Upload of ${path}`} />
      )}
      {state === 'exists' && (
        <Text size="xs" c="dimmed">
          There is a file at this path.
        </Text>
      )}
      {state === 'cancelled' && (
        <Text size="xs" c="dimmed">
          Cancelled.
        </Text>
      )}
      {why && state === 'failed' && (
        <Text size="xs" c="red" role="alert">
          {why}
        </Text>
      )}
    </div>
  );
}
