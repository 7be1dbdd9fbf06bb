// One file beside the list: its content, what is known of it, who may see it.
import { Button, CloseButton, Drawer, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { pathTo } from '#contract/path-to.ts';
import { send } from '../../api/client.ts';
import { linkTo } from '../../api/organization.ts';
import { useSend } from '../../api/query.ts';
import { AskingAction, Action } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty, Facts } from '../../kit/page.tsx';
import { Preview } from '../../kit/preview.tsx';
import { When } from '../../kit/when.tsx';
import { FileAccess } from './access.tsx';
import { nameAt, type StoredFile } from './entries.ts';
import { MoveEntry } from './move-entry.tsx';

export function FilePanel({ path, onClose, onMoved }: { path: string; onClose: () => void; onMoved: (path: string) => void }) {
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="xl">
      <Drawer.Overlay />
      <Drawer.Content aria-label={`File ${path}`}>
        <Drawer.Body pt="md">
          <Group justify="space-between" wrap="nowrap" align="start" mb="md">
            <Title order={2} dir="auto" style={{ overflowWrap: 'anywhere' }}>
              {path}
            </Title>
            <CloseButton aria-label="Close the file" onClick={onClose} data-autofocus />
          </Group>
          <Content key={path} path={path} onClose={onClose} onMoved={onMoved} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function Content({ path, onClose, onMoved }: { path: string; onClose: () => void; onMoved: (path: string) => void }) {
  const { data, error, refetch } = useQuery({ queryKey: ['files', 'one', path], queryFn: ({ signal }) => fileAt(path, signal) });
  const [isMoving, { open, close }] = useDisclosure();
  const removing = useSend('files', 'remove', { done: `${path} is deleted.`, onDone: onClose });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton h={200} aria-busy role="status" aria-label="Loading the file" />;
  if (data === null) return <Empty title="There is no file at this path.">It was moved or deleted.</Empty>;
  const url = pathTo('GET /v1/me/files/{path:path}', { path });
  return (
    <Stack gap="lg">
      <Group gap="xs">
        <Button component="a" href={linkTo(url)} download={nameAt(path)} variant="default" leftSection={<IconDownload size={16} />}>
          Download
        </Button>
        <Action label="Move or rename" onAct={open} />
        <AskingAction
          label="Delete"
          color="red"
          variant="light"
          question="Delete this file?"
          loading={removing.isPending}
          onAct={() => removing.mutate({ params: { path }, headers: { 'if-match': data.etag } })}
        >
          <strong style={{ overflowWrap: 'anywhere' }}>{path}</strong> cannot be brought back.
        </AskingAction>
      </Group>
      {/* Read anew where the content changed. */}
      <Preview key={data.sha256} url={url} name={nameAt(path)} type={data.mime_type} />
      <Facts
        of={{
          Type: data.mime_type,
          Changed: <When at={data.updated_at} />,
          'Stored first': <When at={data.created_at} />,
          'SHA-256': <Copyable value={data.sha256} label="SHA-256" />,
        }}
      />
      <FileAccess path={path} />
      {isMoving && <MoveEntry path={path} etag={data.etag} onClose={close} onMoved={onMoved} />}
    </Stack>
  );
}

/** The API lists by prefix: the file itself is the first of those that begin with its path. */
async function fileAt(path: string, signal: AbortSignal): Promise<StoredFile | null> {
  const { items } = await send('files', 'list', { query: { prefix: path, limit: 1 } }, { signal });
  return items.find((file) => file.path === path) ?? null;
}
