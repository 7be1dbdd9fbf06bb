// The roles of a branch: their URL, shown when it is asked for, and a new password.
import { Code, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { CHANGED, type Detail } from './model.ts';

type Branch = Detail['branches'][number];

export function Roles({ projectId, branch }: { projectId: string; branch: Branch }) {
  return (
    <Stack gap={4}>
      {branch.roles.map((role) => (
        <Role key={role.access} projectId={projectId} branch={branch} role={role} />
      ))}
    </Stack>
  );
}

function Role({ projectId, branch, role: { access, rotating } }: { projectId: string; branch: Branch; role: Branch['roles'][number] }) {
  const [url, setUrl] = useState<string>();
  const reveal = useSend('databaseParts', 'reveal', { refresh: ['databaseParts'], onDone: (answer) => setUrl(answer.url) });
  const rotate = useSend('databaseParts', 'rotate', { done: 'A new password is being set up.', refresh: [...CHANGED] });
  const input = { params: { project_id: projectId }, body: { branch: branch.name, access } };
  const not = branch.state !== 'ready' && 'The branch is not ready.';
  const words = access.replaceAll('_', ' ');
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Code>{words}</Code>
        <AskingAction
          label={`Show URL of ${words}`}
          size="compact-xs"
          question={`Show the URL of ${words} with its password?`}
          not={not}
          loading={reveal.isPending}
          onAct={() => reveal.mutate(input)}
        >
          It is shown until you leave the page. The audit log says that you asked.
        </AskingAction>
        <Action
          label={`Rotate ${words}`}
          size="compact-xs"
          not={not || (rotating && 'A new password is being set up.')}
          loading={rotate.isPending}
          onAct={() => rotate.mutate(input)}
        />
      </Group>
      {url !== undefined && <Copyable value={url} label="URL" />}
    </>
  );
}
