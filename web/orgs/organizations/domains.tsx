// Domains of an organization, and the records that prove them.
import { Box, Button, Group, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Code } from '../../kit/code.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { manages, OrganizationPage, useOrganization } from './frame.tsx';

type Domain = Output<'organizations', 'domains'>['items'][number];
const route = getRouteApi('/organizations/$slug/domains');

export function Domains() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const organization = useOrganization(slug);
  const { items } = useRead('organizations', 'domains', { params: { slug } });
  const mayChange = manages(organization);
  const close = (): void => void navigate({ search: {} });
  const claim = <Button onClick={() => void navigate({ search: { edit: 'new' } })}>Claim a domain</Button>;
  return (
    <OrganizationPage of={organization} actions={mayChange && edit === undefined && claim}>
      {edit === 'new' && (
        <Box maw={480}>
          <RequestForm
            group="organizations"
            route="addDomain"
            input={{ params: { slug } }}
            submit="Claim"
            done="Claimed. Add the record."
            onDone={close}
            onCancel={close}
          />
        </Box>
      )}
      <Text size="sm" c="dimmed">
        {organization.auto_join_role === null
          ? 'Users of its verified domains need an invitation, like all others.'
          : `People of its verified domains may join as ${organization.auto_join_role}.`}
      </Text>
      {items.length === 0 && <Empty title="No domains" command={`svc orgs domains create ${slug} example.com`} />}
      {items.map((domain) => (
        <One key={domain.domain} of={domain} slug={slug} mayChange={mayChange} />
      ))}
    </OrganizationPage>
  );
}

function One({ of: { domain, state, record, problem, checked_at }, slug, mayChange }: { of: Domain; slug: string; mayChange: boolean }) {
  const params = { slug, domain };
  const verify = useSend('organizations', 'verifyDomain', { done: (seen) => seen.problem ?? 'Verified.' });
  const remove = useSend('organizations', 'removeDomain');
  const moves = mayChange && (
    <Group gap="xs">
      <Action label={`Verify ${domain}`} loading={verify.isPending} onAct={() => verify.mutate({ params })} />
      <AskingAction label={`Remove ${domain}`} question={`Give ${domain} up?`} loading={remove.isPending} onAct={() => remove.mutate({ params })}>
        Members stay; users can no longer join by it.
      </AskingAction>
    </Group>
  );
  return (
    <Section title={domain} actions={moves}>
      <Facts
        of={{
          State: <State of={state} />,
          ...(problem !== null && { Problem: problem }),
          'TXT record': record.name,
          ...(checked_at !== null && { 'Last look': <When at={checked_at} /> }),
        }}
      />
      <Code text={record.value} label={`Value of the record of ${domain}`} />
    </Section>
  );
}
