// Another path for a file. What is there already is replaced only when one says so.
import { Alert, Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ApiError } from '#contract/client.ts';
import { useSend } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';
import { wrongPath, type StoredFile } from './entries.ts';

export function MoveFile({ file, onClose, onMoved }: { file: StoredFile; onClose: () => void; onMoved: (path: string) => void }) {
  const [to, setTo] = useState(file.path);
  const [overwrite, setOverwrite] = useState(false);
  const moving = useSend('files', 'move', { quiet: true, done: ({ path }) => `It is at ${path} now.`, onDone: ({ path }) => onMoved(path) });
  const isTaken = moving.error instanceof ApiError && moving.error.status === 409;
  const wrong = wrongPath(to);
  const move = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong === undefined && to !== file.path) moving.mutate({ body: { from: file.path, to: to.normalize('NFC'), overwrite, if_match: file.etag } });
  };
  return (
    <Modal opened onClose={onClose} title="Move or rename" centered>
      <form onSubmit={move}>
        <Stack>
          <TextInput
            label="New path"
            description="Folders are made as they are named."
            value={to}
            error={wrong}
            data-autofocus
            onChange={(event) => {
              setTo(event.currentTarget.value);
              setOverwrite(false);
              moving.reset();
            }}
          />
          {isTaken && (
            <Alert color="orange" title="There is a file at this path.">
              <Checkbox label="Replace it. It cannot be brought back." checked={overwrite} onChange={(event) => setOverwrite(event.currentTarget.checked)} />
            </Alert>
          )}
          {moving.error && !isTaken && <Failure error={moving.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={moving.isPending} disabled={wrong !== undefined || to === file.path || (isTaken && !overwrite)}>
              Move
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
