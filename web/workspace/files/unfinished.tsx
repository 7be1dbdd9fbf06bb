// Uploads that broke off in another tab, on another machine or before a reload: they go on when the same file
// is chosen again.
import { Button, CloseButton, FileButton, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { read, useSend, type Item } from '../../api/query.ts';
import { size } from '../../kit/bytes.ts';
import { When } from '../../kit/when.tsx';
import { uploads } from './upload-list.tsx';

export function Unfinished() {
  const { data } = useQuery(read('fileUploads', 'list'));
  const here = useSyncExternalStore(uploads.subscribe, uploads.all, uploads.all);
  // A path that is sent here is shown there.
  const left = data?.items.filter(({ path }) => !here.some((one) => one.path === path && one.state !== 'cancelled' && one.state !== 'failed')) ?? [];
  if (left.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Unfinished uploads">
      <Text fw={600} size="sm">
        Unfinished
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        Choose the same file again to continue.
      </Text>
      <Stack gap="sm">
        {left.map((one) => (
          <Left key={one.upload_id} of={one} />
        ))}
      </Stack>
    </Paper>
  );
}

function Left({ of }: { of: Item<'fileUploads', 'list'> }) {
  const { upload_id, path, size_bytes, received_bytes, only_new, expires_at } = of;
  const [wrong, setWrong] = useState<string>();
  const giving = useSend('fileUploads', 'cancel', { done: `Upload of ${path} cancelled.` });
  const goOn = (file: File | null): void => {
    if (!file) return;
    const isOther = file.size !== size_bytes;
    setWrong(isOther ? `${file.name} is another file: it has ${size(file.size)}, not ${size(size_bytes)}.` : undefined);
    if (!isOther) uploads.add([{ path, file, replace: !only_new }]);
  };
  return (
    <div role="group" aria-label={path}>
      <Group justify="space-between" wrap="nowrap" gap="xs" align="start">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }} dir="auto">
            {path}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {size(received_bytes)} of {size(size_bytes)}, dropped <When at={expires_at} />
          </Text>
        </div>
        <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
          <FileButton onChange={goOn}>
            {(props) => (
              <Button {...props} size="compact-xs" variant="light" aria-label={`Choose it again: ${path}`}>
                Choose it again
              </Button>
            )}
          </FileButton>
          <CloseButton size="sm" aria-label={`Discard ${path}`} disabled={giving.isPending} onClick={() => giving.mutate({ params: { upload_id } })} />
        </Group>
      </Group>
      <Progress size="xs" mt={4} color="gray" value={(received_bytes / size_bytes) * 100} aria-label={`What arrived of ${path}`} />
      {wrong !== undefined && (
        <Text size="xs" c="red" role="alert" mt={2}>
          {wrong}
        </Text>
      )}
    </div>
  );
}
