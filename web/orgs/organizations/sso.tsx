// The organization's own sign-in: its connection, whether it is required, and the reader's own account at it.
import { Alert, Box, Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { useSession } from '../../session/session.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { manages, OrganizationPage, useOrganization } from './frame.tsx';

type Sso = Output<'organizationSso', 'get'>;
type Connection = NonNullable<Sso['connection']>;
const route = getRouteApi('/organizations/$slug/sso');

export function Sso() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const organization = useOrganization(slug);
  const sso = useRead('organizationSso', 'get', { params: { slug } });
  const { connection } = sso;
  const mayChange = manages(organization);
  const change = <Button onClick={() => void navigate({ search: { edit: 'new' } })}>{connection ? 'Change' : 'Connect a provider'}</Button>;
  const close = (): void => void navigate({ search: {} });
  return (
    <OrganizationPage of={organization} actions={mayChange && edit === undefined && change}>
      {edit === 'new' && <Connect of={sso} slug={slug} onClose={close} />}
      {connection === null && edit === undefined && (
        <Empty title="No identity provider is connected" command={`svc orgs sso set ${slug} --issuer … --client-id … --domain …`}>
          Members then sign in as at everything else of the organization, and who leaves there has no way in here.
        </Empty>
      )}
      {connection && edit === undefined && <Connected of={connection} linkedAt={sso.linked_at} slug={slug} mayChange={mayChange} />}
      <Section title="Addresses" lead="For the client at the provider, and for the people.">
        <Facts
          of={{
            'Redirect address': <Copyable value={sso.redirect_uri} label="Redirect address" />,
            ...(connection && { 'Sign-in address': <Copyable value={sso.sign_in_url} label="Sign-in address" /> }),
          }}
        />
      </Section>
    </OrganizationPage>
  );
}

function Connected({ of, linkedAt, slug, mayChange }: { of: Connection; linkedAt: string | null; slug: string; mayChange: boolean }) {
  const { issuer, client_id, domains, default_role, makes_members, session_hours, last_used_at } = of;
  const unproved = domains.filter(({ verified }) => !verified);
  return (
    <>
      {unproved.length > 0 && (
        <Alert color="yellow" title="Not all domains are verified">
          Addresses of {unproved.map(({ domain }) => domain).join(', ')} are refused.
        </Alert>
      )}
      <Section title="Connection" actions={mayChange && <Remove slug={slug} />}>
        <Facts
          of={{
            Issuer: issuer,
            Client: client_id,
            Domains: domains.map(({ domain }) => domain).join(', '),
            'New people': makes_members ? `become members as ${default_role}` : 'need an invitation',
            'A session acts for': `${session_hours} ${session_hours === 1 ? 'hour' : 'hours'}`,
            'Last sign-in': last_used_at === null ? 'never' : <When at={last_used_at} />,
          }}
        />
      </Section>
      <Required of={of} slug={slug} mayChange={mayChange} />
      <YourAccount slug={slug} linkedAt={linkedAt} />
    </>
  );
}

function Required({ of: { required }, slug, mayChange }: { of: Connection; slug: string; mayChange: boolean }) {
  const send = useSend('organizationSso', 'require', { done: (now) => (now.connection?.required ? 'Required from now on.' : 'No longer required.') });
  const params = { slug };
  const act = required ? (
    <Action label="Stop requiring it" loading={send.isPending} onAct={() => send.mutate({ params, body: { required: false } })} />
  ) : (
    <AskingAction
      label="Require it"
      question="Require it of everybody?"
      loading={send.isPending}
      onAct={() => send.mutate({ params, body: { required: true } })}
    >
      Sessions and tokens that were made otherwise do not act for the organization any more, at once.
    </AskingAction>
  );
  return (
    <Section title={required ? 'Required' : 'Not required'} actions={mayChange && act}>
      <Text size="sm">
        {required
          ? 'Only sessions of this sign-in act for the organization. Where the provider is broken, an owner who signs in without it can end that.'
          : 'Members act for the organization however they signed in. Sign in by it yourself before you require it.'}
      </Text>
    </Section>
  );
}

function Remove({ slug }: { slug: string }) {
  const remove = useSend('organizationSso', 'remove', { done: 'The connection is removed.' });
  return (
    <AskingAction label="Remove" question="Remove the connection?" loading={remove.isPending} onAct={() => remove.mutate({ params: { slug } })}>
      Sessions that it made end at once. Accounts and members stay.
    </AskingAction>
  );
}

function YourAccount({ slug, linkedAt }: { slug: string; linkedAt: string | null }) {
  const { acts_only_for: only } = useSession();
  const unlink = useSend('organizationSso', 'unlink', { done: 'Account unlinked.' });
  return (
    <Section
      title="Your account"
      lead="Until you link your account, a sign-in by the provider acts for this organization only. Linked, it opens all that is yours: who runs the provider can then sign in as you. What is signed in already stays as it is."
    >
      {only && <Text size="sm">To link it, sign out, sign in without the provider, and open this page within 15 minutes.</Text>}
      {!only && linkedAt === null && <Link slug={slug} />}
      {!only && linkedAt !== null && (
        <Group>
          <Text size="sm">
            Linked <When at={linkedAt} />
          </Text>
          <AskingAction label="Unlink" question="Unlink your account?" loading={unlink.isPending} onAct={() => unlink.mutate({ params: { slug } })}>
            Sign-ins by the provider act for this organization only again. Those that it made end at once, this one too if it is one.
          </AskingAction>
        </Group>
      )}
    </Section>
  );
}

function Link({ slug }: { slug: string }) {
  const link = useSend('organizationSso', 'link', { onDone: ({ authorization_url }) => window.location.assign(authorization_url) });
  return (
    <Group>
      <Button variant="default" loading={link.isPending} onClick={() => link.mutate({ params: { slug } })}>
        Link my account
      </Button>
    </Group>
  );
}

function Connect({ of: { connection }, slug, onClose }: { of: Sso; slug: string; onClose: () => void }) {
  const initial = connection && {
    issuer: connection.issuer,
    client_id: connection.client_id,
    domains: connection.domains.map(({ domain }) => domain),
    default_role: connection.default_role,
    makes_members: connection.makes_members,
    session_hours: connection.session_hours,
  };
  return (
    <Box maw={640}>
      <RequestForm
        group="organizationSso"
        route="put"
        input={{ params: { slug } }}
        {...(initial && { initial })}
        submit={connection ? 'Save' : 'Connect'}
        done="Saved. Try it by signing in."
        onDone={onClose}
        onCancel={onClose}
      />
    </Box>
  );
}
