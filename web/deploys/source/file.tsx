// One file of the repository, as it is or as it was changed here.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../kit/page.tsx';
import { maybe } from '../../agents/owner/maybe.ts';
import { deleted, edited, renamed, without } from './drafts.ts';
import { Editor } from './editor.tsx';
import { PathDialog, type SourceFiles } from './files.tsx';
import { type Edits, NotText } from './source.tsx';

const route = getRouteApi('/agents/mine/$name/source');

export interface FileProps {
  name: string;
  path: string;
  /** The head. */
  commit: string | null;
  files: SourceFiles;
  edits: Edits;
  readOnly: boolean;
}

export function File({ name, path, commit, files, edits, readOnly }: FileProps) {
  const { drafts, change } = edits;
  const navigate = route.useNavigate();
  const [isRenaming, renaming] = useDisclosure();
  // Another number is another editor: what was written is thrown away.
  const [round, setRound] = useState(0);
  const isThere = files.some((one) => one.path === path);
  const input = { params: { name, path }, ...(commit !== null && { query: { commit } }) };
  const { data } = useSuspenseQuery(
    isThere ? { ...maybe('sourceEditor', 'file', input), staleTime: Infinity } : { ...maybe('sourceEditor', 'file', input), queryFn: () => null },
  );
  const draft = drafts[path];
  const encoding = draft?.content == null ? (data?.encoding ?? 'utf-8') : draft.encoding;
  const content = draft ? draft.content : (data?.content ?? null);
  const read = data?.encoding === 'utf-8' ? { blob: data.blob, content: data.content } : null;
  if (!data && !draft) return <Empty title="There is no such file.">{path}</Empty>;
  const isFree = (to: string): boolean => !files.some((one) => one.path === to) || drafts[to]?.content === null;
  const rename = (to: string): void => {
    const there = drafts[to]?.blob ?? null;
    change((was) => renamed(was, { path, blob: draft ? draft.blob : (data?.blob ?? null), content: content ?? '', encoding }, to, there));
    void navigate({ search: { file: to }, resetScroll: false });
  };
  return (
    <Stack gap="xs" miw={0}>
      <Group justify="space-between" gap="xs">
        <Text ff="monospace" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }} miw={0}>
          {path}
        </Text>
        {!readOnly && (
          <Group gap={6}>
            {draft && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => {
                  change((was) => without(was, path));
                  setRound(round + 1);
                }}
              >
                Undo the changes
              </Button>
            )}
            {content !== null && (
              <>
                <Button variant="default" size="compact-sm" onClick={renaming.open}>
                  Rename
                </Button>
                <Button variant="default" size="compact-sm" onClick={() => change((was) => deleted(was, path, data?.blob ?? null))}>
                  Delete
                </Button>
              </>
            )}
          </Group>
        )}
      </Group>
      {content === null ? (
        <Empty title="The next commit deletes this file." />
      ) : encoding === 'base64' ? (
        <NotText path={path} />
      ) : (
        <Editor
          key={`${path} ${round} ${data?.blob ?? ''}`}
          path={path}
          text={content}
          readOnly={readOnly}
          onChange={(text) => change((was) => edited(was, path, text, read))}
          onSave={() => document.getElementById('commit-message')?.focus()}
        />
      )}
      {isRenaming && (
        <PathDialog
          title={`Rename ${path}`}
          submit="Rename"
          opened
          onClose={renaming.close}
          initial={path}
          taken={(to) => to !== path && !isFree(to)}
          onPath={rename}
        />
      )}
    </Stack>
  );
}
