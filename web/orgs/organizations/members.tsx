// Who is in an organization, as what, and what may be done about it.
import { Box, Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../../session/session.ts';
import type { Output } from '../../api/client.ts';
import { usePages, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { type Column, List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { manages, type Organization, OrganizationPage, useOrganization } from './frame.tsx';

type Member = Output<'organizations', 'members'>['items'][number];
const route = getRouteApi('/organizations/$slug');

export function Members() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const organization = useOrganization(slug);
  const pages = usePages('organizations', 'members', { params: { slug }, query: { limit: 50 } });
  const invite = <Button onClick={() => void navigate({ search: { edit: 'new' } })}>Invite</Button>;
  return (
    <OrganizationPage of={organization} actions={manages(organization) && edit === undefined && invite}>
      {edit === 'new' && <Invite slug={slug} onClose={() => void navigate({ search: {} })} />}
      <List label="Members" pages={pages} columns={columnsOf(organization)} keyOf={({ member_id }) => member_id} empty={<Empty title="No members" />} />
    </OrganizationPage>
  );
}

function columnsOf(organization: Organization): Column<Member>[] {
  return [
    {
      head: 'Member',
      wide: true,
      cell: ({ email, name }) => (
        <>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {email}
          </Text>
          {name !== null && <Under>{name}</Under>}
        </>
      ),
    },
    { head: 'Role', cell: ({ role }) => <State of={role} /> },
    { head: 'State', cell: ({ state, expires_at }) => <>{<State of={state} />} {expires_at !== null && <Under>ends <When at={expires_at} /></Under>}</> },
    { head: 'Actions', end: true, cell: (member) => <Moves of={member} organization={organization} /> },
  ]; // prettier-ignore
}

function Moves({ of: { member_id, email, state, user_id }, organization }: { of: Member; organization: Organization }) {
  const { user } = useSession();
  const { slug, name } = organization;
  const params = { slug, member_id };
  const update = useSend('organizations', 'updateMember');
  const remove = useSend('organizations', 'removeMember');
  const isMe = user?.user_id === user_id;
  if (!manages(organization) && !isMe) return null;
  return (
    <Group gap="xs" justify="flex-end">
      {!isMe && state === 'active' && (
        <Action label="Suspend" loading={update.isPending} onAct={() => update.mutate({ params, body: { state: 'suspended' } })} />
      )}
      {!isMe && state === 'suspended' && <Action label="Lift the suspension" onAct={() => update.mutate({ params, body: { state: 'active' } })} />}
      <AskingAction
        label={isMe ? 'Leave' : state === 'invited' ? 'Take back' : 'Remove'}
        question={isMe ? `Leave ${name}?` : `Remove ${email}?`}
        loading={remove.isPending}
        onAct={() => remove.mutate({ params })}
      >
        What was made for the organization stays with it.
      </AskingAction>
    </Group>
  );
}

function Invite({ slug, onClose }: { slug: string; onClose: () => void }) {
  const [invited, setInvited] = useState<Output<'organizations', 'invite'>>();
  const url = invited?.invitation_url ?? undefined;
  return (
    <Section title="Invite a user" lead="They join by a personal link that works once, signed in with that address.">
      <Box maw={480}>
        {url === undefined ? (
          <RequestForm
            group="organizations"
            route="invite"
            input={{ params: { slug } }}
            initial={{ email: '', role: 'developer' }}
            submit="Create invitation"
            done={({ mailed, email }) => (mailed ? `${email} has a mail with the link.` : `No mail was sent. Give ${email} the link yourself.`)}
            onDone={setInvited}
            onCancel={onClose}
          />
        ) : (
          <>
            <Text size="sm">{invited?.mailed ? 'A mail with this link was sent. It is also here:' : 'No mail was sent. Give them this link:'}</Text>
            <Copyable value={url} label="Personal link" />
          </>
        )}
      </Box>
    </Section>
  );
}
