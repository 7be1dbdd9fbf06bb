// All changes as one commit; the user decides conflicts with newer changes file by file.
import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { ApiError } from '#contract/client.ts';
import { useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Loading } from '../../kit/page.tsx';
import { tell } from '../../kit/toasts.tsx';
import { changesOf, committed } from './drafts.ts';
import type { Edits } from './source.tsx';

const Conflict = lazy(async () => ({ default: (await import('./conflict.tsx')).Conflict }));

export function Commit({ name, edits: { drafts, change } }: { name: string; edits: Edits }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [message, setMessage] = useState('');
  const [problem, setProblem] = useState<string>();
  const [deploys, setDeploys] = useState(false);
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const changes = changesOf(drafts);
  const deploy = useSend('sourceEditor', 'deploy', {
    done: 'Committed; deploying.',
    refresh: ['agents'],
    onDone: ({ deploy_id }) => void navigate({ to: '/agents/mine/$name/deployments/$deployId', params: { name, deployId: deploy_id }, ignoreBlocker: true }),
  });
  const save = useSend('sourceEditor', 'save', {
    quiet: true,
    refresh: ['sourceEditor', 'agents'],
    onDone: ({ commit, files }, { body }) => {
      change((was) =>
        committed(
          was,
          body.changes.map(({ path, content, blob }) => ({ path, content, blob, encoding: 'utf-8' })),
          files,
        ),
      );
      setMessage('');
      if (deploys) deploy.mutate({ params: { name }, body: { commit } });
      else tell.done(`Committed as ${commit.slice(0, 8)}. It is not deployed yet.`);
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (message.trim() === '') {
      setProblem('Say what changed, and why.');
      return;
    }
    setProblem(undefined);
    setDecided(new Set());
    save.mutate({ params: { name }, body: { message: message.trim(), changes } });
  };
  const stale = save.error ? stalePaths(save.error).filter((path) => drafts[path] !== undefined && !decided.has(path)) : [];
  return (
    <Paper withBorder p="md" component="section" aria-label="Commit">
      <form onSubmit={send}>
        <Group align="end" gap="sm">
          <TextInput
            id="commit-message"
            label={`Commit ${changes.length} ${changes.length === 1 ? 'file' : 'files'}`}
            placeholder="What changed, and why"
            value={message}
            error={problem}
            maxLength={2000}
            onChange={(event) => setMessage(event.currentTarget.value)}
            style={{ flex: '1 1 16rem' }}
          />
          <Button type="submit" variant="default" loading={save.isPending && !deploys} disabled={stale.length > 0} onClick={() => setDeploys(false)}>
            Commit
          </Button>
          <Button type="submit" loading={(save.isPending && deploys) || deploy.isPending} disabled={stale.length > 0} onClick={() => setDeploys(true)}>
            Commit and deploy
          </Button>
          <AskingAction label="Discard" question="Discard all changes?" onAct={() => change(() => ({}))}>
            {changes
              .map(({ path }) => path)
              .slice(0, 20)
              .join(', ')}
          </AskingAction>
        </Group>
      </form>
      {save.error && stale.length === 0 && !isStale(save.error) && (
        <Stack mt="md">
          <Failure error={save.error} />
        </Stack>
      )}
      {stale.length > 0 && (
        <Stack mt="md">
          <Text fw={600} role="alert">
            {stale.length === 1 ? 'This file was' : 'These files were'} changed since you opened {stale.length === 1 ? 'it' : 'them'}. Decide for each, then
            commit again.
          </Text>
          <Suspense fallback={<Loading lines={2} />}>
            {stale.map((path) => (
              <Conflict
                key={path}
                name={name}
                path={path}
                mine={drafts[path]?.content ?? null}
                change={change}
                onDecided={() => {
                  setDecided(new Set([...decided, path]));
                  void queryClient.invalidateQueries({ queryKey: ['sourceEditor'] });
                }}
              />
            ))}
          </Suspense>
        </Stack>
      )}
    </Paper>
  );
}

const isStale = (error: Error): error is ApiError => error instanceof ApiError && error.code === 'source_changed';

/** Files that are others by now than they were read. */
function stalePaths(error: Error): string[] {
  const paths = isStale(error) ? Object.entries(error.detail).find(([name]) => name === 'paths')?.[1] : undefined;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}
