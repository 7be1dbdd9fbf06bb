// Provisioning by SCIM: where the identity provider sends to, and with which tokens.
import { Box, Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { now } from '../../api/visit.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { type Column, List, Under } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { manages, OrganizationPage, useOrganization } from './frame.tsx';

type Token = Output<'organizations', 'scimTokens'>['items'][number];
const route = getRouteApi('/organizations/$slug/scim');

export function Scim() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const organization = useOrganization(slug);
  const scim = useRead('organizations', 'scim', { params: { slug } });
  const pages = usePages('organizations', 'scimTokens', { params: { slug }, query: { limit: 50 } });
  const make = <Button onClick={() => void navigate({ search: { edit: 'new' } })}>New token</Button>;
  const columns: Column<Token>[] = [
    { head: 'Token', wide: true, cell: ({ name, token_id }) => <><Text size="sm" fw={600}>{name}</Text><Under>{token_id}</Under></> },
    { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
    { head: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <When at={last_used_at} />) },
    { head: 'Expires', cell: (one) => <Expiry of={one} /> },
    { head: 'Actions', end: true, cell: (one) => manages(organization) && one.revoked_at === null && <Revoke of={one} slug={slug} /> },
  ]; // prettier-ignore
  return (
    <OrganizationPage of={organization} actions={manages(organization) && edit === undefined && make}>
      {edit === 'new' && <NewToken slug={slug} onClose={() => void navigate({ search: {} })} />}
      <Facts
        of={{
          Address: <Copyable value={scim.base_url} label="Address of SCIM" />,
          'Members from it': scim.provisioned_members,
          'Last used': scim.last_used_at === null ? 'never' : <When at={scim.last_used_at} />,
        }}
      />
      <List
        label="SCIM tokens"
        pages={pages}
        columns={columns}
        keyOf={({ token_id }) => token_id}
        empty={<Empty title="No tokens" command={`svc orgs scim create ${slug} NAME`} />}
      />
    </OrganizationPage>
  );
}

function Expiry({ of: { revoked_at, expires_at, valid } }: { of: Token }) {
  if (revoked_at !== null) return <>revoked</>;
  if (!valid && (expires_at === null || Date.parse(expires_at) > now())) return <>ended: who made it is no admin any more</>;
  return expires_at === null ? <>never</> : <When at={expires_at} />;
}

function Revoke({ of: { token_id, name }, slug }: { of: Token; slug: string }) {
  const revoke = useSend('organizations', 'revokeScimToken');
  return (
    <AskingAction label="Revoke" question={`Revoke ${name}?`} loading={revoke.isPending} onAct={() => revoke.mutate({ params: { slug, token_id } })}>
      The identity provider cannot use it any more, at once.
    </AskingAction>
  );
}

function NewToken({ slug, onClose }: { slug: string; onClose: () => void }) {
  const [token, setToken] = useState<string>();
  return (
    <Section title="New token" lead="It is shown only once.">
      <Box maw={480}>
        {token === undefined ? (
          <RequestForm
            group="organizations"
            route="createScimToken"
            input={{ params: { slug } }}
            submit="Create token"
            onDone={({ token: made }) => setToken(made)}
            onCancel={onClose}
          />
        ) : (
          <Copyable value={token} label="The token" />
        )}
      </Box>
    </Section>
  );
}
