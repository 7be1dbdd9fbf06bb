// What can be done to a conversation: rename it, say when its agents ask, put it away, delete it.
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { OpensBox } from '../../kit/opens.tsx';
import { keepDraft } from './draft.ts';
import { HandoffsChoice } from './handoffs.tsx';
import type { Thread } from './use-thread.ts';

export function ThreadActions({ thread }: { thread: Thread }) {
  const { thread_id, archived } = thread;
  const navigate = useNavigate();
  const params = { thread_id };
  const update = useSend('chatThreads', 'update', { done: ({ archived: away }) => (away ? 'Archived.' : 'Restored.') });
  // Its messages and events are gone: they are not read again.
  const remove = useSend('chatThreads', 'delete', {
    done: 'Deleted.',
    refresh: [],
    onDone: () => {
      keepDraft(thread_id, '');
      void navigate({ to: '/chat', search: archived ? { archived } : {} });
    },
  });
  return (
    <>
      <Settings key={thread_id} thread={thread} />
      <Action
        label={archived ? 'Restore' : 'Archive'}
        size="xs"
        loading={update.isPending}
        onAct={() => update.mutate({ params, body: { archived: !archived } })}
      />
      <AskingAction label="Delete" size="xs" question="Delete this conversation?" loading={remove.isPending} onAct={() => remove.mutate({ params })}>
        Its messages are deleted, and its running work is cancelled. Runs, plans and receipts stay in their own lists.
      </AskingAction>
    </>
  );
}

function Settings({ thread }: { thread: Thread }) {
  return (
    <OpensBox
      width={300}
      button={
        <Button size="xs" variant="default">
          Rename and rules
        </Button>
      }
    >
      {(close) => <SettingsForm thread={thread} onDone={close} />}
    </OpensBox>
  );
}

function SettingsForm({ thread: { thread_id, title, handoffs }, onDone }: { thread: Thread; onDone: () => void }) {
  const [name, setName] = useState(title);
  const rename = useSend('chatThreads', 'update', { done: 'Renamed.', onDone });
  const rule = useSend('chatThreads', 'update', { done: 'Kept.' });
  const params = { thread_id };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rename.mutate({ params, body: { title: name.trim() } });
  };
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <TextInput
          label="Title"
          size="xs"
          maxLength={200}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          dir="auto"
          data-autofocus
        />
        <Group justify="end" mt="xs">
          <Button type="submit" size="xs" loading={rename.isPending} disabled={name.trim() === '' || name.trim() === title}>
            Rename
          </Button>
        </Group>
      </form>
      <HandoffsChoice value={handoffs} disabled={rule.isPending} onChange={(next) => rule.mutate({ params, body: { handoffs: next } })} />
    </Stack>
  );
}
