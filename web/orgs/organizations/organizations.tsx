// The organizations of the reader, and which of them this tab acts for.
import { Box, Button, Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { actsFor } from '../../api/organization.ts';
import { actFor } from '../../session/act-for.ts';
import { useSession } from '../../session/session.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { type Column, List, Under } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { manages } from './frame.tsx';

type Listed = Output<'organizations', 'list'>['items'][number];
const route = getRouteApi('/organizations');

const COLUMNS: Column<Listed>[] = [
  {
    head: 'Organization',
    wide: true,
    cell: ({ slug, name }) => (
      <>
        <PageLink to="/organizations/$slug" params={{ slug }} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </PageLink>
        <Under>{slug}</Under>
      </>
    ),
  },
  { head: 'Your role', cell: ({ role }) => <State of={role} /> },
  { head: 'Members', cell: ({ members }) => members },
  {
    head: 'Actions',
    end: true,
    cell: (one) => (
      <Group gap="xs" justify="flex-end">
        <Invite of={one} />
        <Acting of={one} />
      </Group>
    ),
  },
];

export function Organizations() {
  const { edit } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('organizations', 'list', { query: { limit: 50 } });
  const { acts_only_for: only } = useSession();
  if (edit === 'new') return <NewOrganization />;
  return (
    <Page
      title="Organizations"
      lead="Accounts that several people share, each member with a role. A tab shows the account that it acts for."
      actions={!only && <Button onClick={() => void navigate({ to: '/organizations', search: { edit: 'new' } })}>New organization</Button>}
    >
      <List
        label="Organizations"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ slug }) => slug}
        empty={
          <Empty
            title="You are in no organization."
            action={
              <ButtonLink to="/organizations" search={{ edit: 'new' }} variant="light">
                Create an organization
              </ButtonLink>
            }
            command={'svc orgs create acme "Acme"'}
          >
            Make one here, or open the link of an invitation.
          </Empty>
        }
      />
      {!only && <Joinable />}
    </Page>
  );
}

function Invite({ of: { slug, name, role } }: { of: Listed }) {
  if (!manages({ role })) return null;
  return (
    <ButtonLink to="/organizations/$slug" params={{ slug }} search={{ edit: 'new' }} variant="default" aria-label={`Invite to ${name}`}>
      Invite
    </ButtonLink>
  );
}

function Acting({ of: { slug, name } }: { of: Listed }) {
  if (useSession().acts_only_for) return null;
  if (actsFor() === slug) return <Action label="Act for yourself" onAct={() => actFor(undefined, '/organizations')} />;
  return <Action label={`Act for ${name}`} variant="light" onAct={() => actFor(slug)} />;
}

function Joinable() {
  const { items } = useRead('organizations', 'invitations', {});
  const join = useSend('organizations', 'join', { done: 'A mail to your address has the link.' });
  if (items.length === 0) return null;
  return (
    <Section title="You may join" lead="By the domain of your address.">
      {items.map(({ slug, name, role }) => (
        <Group key={slug} gap="sm">
          {name} <Under>as {role}</Under>
          <Action label={`Join ${name}`} loading={join.isPending} onAct={() => join.mutate({ body: { slug } })} />
        </Group>
      ))}
    </Section>
  );
}

function NewOrganization() {
  const navigate = useNavigate();
  return (
    <Page title="New organization" crumbs={[{ label: 'Organizations', to: '/organizations' }]}>
      <Box maw={640}>
        <RequestForm
          group="organizations"
          route="create"
          input={{}}
          submit="Create organization"
          done="Organization created. You are its owner."
          onDone={({ slug }) => void navigate({ to: '/organizations/$slug', params: { slug }, search: {} })}
          onCancel={() => void navigate({ to: '/organizations', search: {} })}
        />
      </Box>
    </Page>
  );
}
