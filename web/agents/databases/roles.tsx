// The roles of each branch: their URL, shown when it is asked for, and a new password.
import { Group } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { CHANGED, type Detail } from './model.ts';
import { inWords } from '../../kit/in-words.ts';

type Branch = Detail['branches'][number];
type Role = Branch['roles'][number] & { branch: string; isReady: boolean };

export function Roles({ of }: { of: Detail }) {
  const roles = of.branches.flatMap(({ name, state, roles: own }) => own.map((role): Role => ({ ...role, branch: name, isReady: state === 'ready' })));
  const [shown, setShown] = useState<{ role: string; url: string }>();
  const columns: Column<Role>[] = [
    {
      head: 'Role',
      wide: true,
      cell: (role) => (
        <>
          {inWords(role.access)}
          {shown?.role === keyOf(role) && <Copyable value={shown.url} label="URL" />}
        </>
      ),
    },
    { head: 'Branch', cell: ({ branch }) => branch },
    {
      head: 'Password',
      cell: ({ rotating, rotated_at }) => (
        <>
          <When at={rotated_at} />
          {rotating && <Under>a new one is being set up</Under>}
        </>
      ),
    },
    { head: 'Change', end: true, cell: (role) => <Change projectId={of.project_id} role={role} onShow={(url) => setShown({ role: keyOf(role), url })} /> },
  ];
  return (
    <Section title="Roles" lead="Agents sign in as one of these. A new password restarts those that are bound to the role.">
      <List label="Roles" pages={roles} columns={columns} keyOf={keyOf} empty={<Empty title="No roles." />} />
    </Section>
  );
}

function keyOf({ branch, access }: Role): string {
  return `${branch} ${access}`;
}

function Change({ projectId, role, onShow }: { projectId: string; role: Role; onShow: (url: string) => void }) {
  const reveal = useSend('databases', 'reveal', { refresh: ['databases'], onDone: ({ url }) => onShow(url) });
  const rotate = useSend('databases', 'rotate', { done: 'A new password is being set up.', refresh: [...CHANGED] });
  const input = { params: { project_id: projectId }, body: { branch: role.branch, access: role.access } };
  const not = !role.isReady && 'The branch is not ready.';
  return (
    <Group gap="xs" justify="end" wrap="nowrap">
      <AskingAction
        label="Show URL"
        size="xs"
        question={`Show the URL of ${inWords(role.access)} with its password?`}
        not={not}
        loading={reveal.isPending}
        onAct={() => reveal.mutate(input)}
      >
        It is shown until you leave the page. The audit log records it.
      </AskingAction>
      <Action
        label="New password"
        size="xs"
        not={not || (role.rotating && 'A new password is being set up.')}
        loading={rotate.isPending}
        onAct={() => rotate.mutate(input)}
      />
    </Group>
  );
}
