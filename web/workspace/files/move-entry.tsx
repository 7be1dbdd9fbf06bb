// Another path for a file or a folder. What is there already is replaced only when one says so.
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError } from '#contract/client.ts';
import { useSend } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { nameAt, wrongPath } from './entries.ts';

export interface MoveEntryProps {
  /** Of a folder with "/" at its end. */
  path: string;
  /** Of a file, where it is known: only while it is the same. */
  etag?: string;
  onClose: () => void;
  onMoved: (path: string) => void;
}

export function MoveEntry({ path, etag, onClose, onMoved }: MoveEntryProps) {
  const isFolder = path.endsWith('/');
  const own = isFolder ? path.slice(0, -1) : path;
  const [to, setTo] = useState(own);
  const [overwrite, setOverwrite] = useState(false);
  const done = (moved: string): string => `Moved to ${moved}.`;
  const after = (moved: string): void => {
    onClose();
    onMoved(moved);
  };
  const file = useSend('files', 'move', { quiet: true, done: (moved) => done(moved.path), onDone: (moved) => after(moved.path) });
  const folder = useSend('files', 'moveFolder', {
    quiet: true,
    refresh: ['files'],
    done: (moved) => done(moved.to),
    onDone: (moved) => after(moved.to),
  });
  const moving = isFolder ? folder : file;
  const isTaken = moving.error instanceof ApiError && moving.error.code === 'path_taken';
  const wrong = wrongPath(to);
  const move = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong !== undefined || to === own) return;
    const target = to.normalize('NFC');
    if (isFolder) folder.mutate({ body: { from: path, to: `${target}/`, overwrite } });
    else file.mutate({ body: { from: path, to: target, overwrite, ...(etag !== undefined && { if_match: etag }) } });
  };
  return (
    <Modal opened onClose={onClose} title={isFolder ? 'Move or rename the folder' : 'Move or rename'} centered>
      <form onSubmit={move}>
        <Stack>
          <PathInput
            value={to}
            error={wrong}
            onChange={(value) => {
              setTo(value);
              setOverwrite(false);
              moving.reset();
            }}
          />
          {isTaken && (
            <Alert color="orange" title={isFolder ? 'Files with the same names are there.' : 'There is a file at this path.'}>
              <Checkbox
                label={isFolder ? 'Replace those. They cannot be brought back.' : 'Replace it. It cannot be brought back.'}
                checked={overwrite}
                onChange={(event) => setOverwrite(event.currentTarget.checked)}
              />
            </Alert>
          )}
          {moving.error && !isTaken && <Failure error={moving.error} />}
          <Text size="xs" c="dimmed">
            Grants are for paths and do not move along: who may read the new path may read it there.
          </Text>
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={moving.isPending} disabled={wrong !== undefined || to === own || (isTaken && !overwrite)}>
              Move
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The name is selected: most people change only that. */
function PathInput({ value, error, onChange }: { value: string; error: string | undefined; onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const name = nameAt(value);
    const dot = name.lastIndexOf('.');
    input.current?.setSelectionRange(value.length - name.length, dot > 0 ? value.length - name.length + dot : value.length);
  }, []);
  return (
    <TextInput
      ref={input}
      label="New path"
      description="Folders are made as they are named."
      value={value}
      error={error}
      dir="auto"
      data-autofocus
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
