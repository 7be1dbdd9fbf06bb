// Whom the identity provider sent, in which groups, and which role the members of a group have.
import { NativeSelect, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { SCIM_DEFAULT_ROLE } from '#contract/orgs/organization-scim.ts';
import { SCIM_ROLES } from '#contract/states.ts';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { type Column, List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { OrganizationPage, useOrganization } from '../organizations/frame.tsx';
import { inWords } from '../../kit/in-words.ts';

type User = Output<'organizationScim', 'users'>['items'][number];
type Group = Output<'organizationScim', 'groups'>['items'][number];
const route = getRouteApi('/organizations/$slug/provisioned');

export function Provisioned() {
  const { slug } = route.useParams();
  const organization = useOrganization(slug);
  const users = usePages('organizationScim', 'users', { params: { slug }, query: { limit: 50 } });
  const groups = usePages('organizationScim', 'groups', { params: { slug }, query: { limit: 50 } });
  return (
    <OrganizationPage of={organization}>
      <Section title="Groups" lead={`Of several groups the highest role counts. Who is in none with a role has the role ${SCIM_DEFAULT_ROLE}.`}>
        <List
          label="Groups"
          pages={groups}
          columns={groupColumns(slug)}
          keyOf={({ group_id }) => group_id}
          empty={<Empty title="No groups" command={`svc orgs groups set ${slug} GROUP developer`} />}
        />
      </Section>
      <Section title="Users">
        <List
          label="Users"
          pages={users}
          columns={userColumns}
          keyOf={({ user_id }) => user_id}
          empty={<Empty title="No users are provisioned" command={`svc orgs scim ${slug}`} />}
        />
      </Section>
    </OrganizationPage>
  );
}

const groupColumns = (slug: string): Column<Group>[] => [
  { head: 'Group', wide: true, cell: ({ name }) => <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>{name}</Text> },
  { head: 'Members', end: true, cell: ({ members }) => members },
  { head: 'Role', cell: (group) => <Role of={group} slug={slug} /> },
]; // prettier-ignore

function Role({ of: { name, role }, slug }: { of: Group; slug: string }) {
  const params = { slug };
  const { roles } = useRead('organizationScim', 'roles', { params });
  const put = useSend('organizationScim', 'putRoles');
  const change = (value: string): void => {
    const wanted = SCIM_ROLES.find((one) => one === value);
    const others = roles.filter(({ group }) => group.toLowerCase() !== name.toLowerCase());
    put.mutate({ params, body: { roles: [...others, ...(wanted ? [{ group: name, role: wanted }] : [])] } });
  };
  return (
    <NativeSelect
      size="xs"
      aria-label={`Role of the members of ${name}`}
      data={[{ value: 'none', label: 'none' }, ...SCIM_ROLES.map((one) => ({ value: one, label: inWords(one) }))]}
      value={role ?? 'none'}
      disabled={put.isPending}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

const userColumns: Column<User>[] = [
  {
    head: 'User',
    wide: true,
    cell: ({ user_name, display_name, email }) => (
      <>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {user_name}
        </Text>
        <Under>{[display_name, email === user_name.toLowerCase() ? null : email].filter((one) => one !== null).join(' · ')}</Under>
      </>
    ),
  },
  { head: 'Groups', cell: ({ groups }) => groups.join(', ') },
  { head: 'Member', cell: ({ active, member }) => <State of={member?.state ?? (active ? 'not invited' : 'disabled')} /> },
  { head: 'Role', cell: ({ member }) => member && <State of={member.role} /> },
  { head: 'Changed', cell: ({ updated_at }) => <When at={updated_at} /> },
];
