// Who in an organization must approve what its agents ask, and who votes for whom.
import { Box, Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { manages, OrganizationPage, useOrganization } from './frame.tsx';

type Policy = Output<'organizationApprovals', 'policy'>;
type Rule = Policy['rules'][number];
type Delegation = Output<'organizationApprovals', 'delegations'>['items'][number];
const route = getRouteApi('/organizations/$slug/approvals');

export function Approvals() {
  const { slug } = route.useParams();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const organization = useOrganization(slug);
  const policy = useRead('organizationApprovals', 'policy', { params: { slug } });
  const close = (): void => void navigate({ search: {} });
  const change = <Button onClick={() => void navigate({ search: { edit: 'rules' } })}>Change the rules</Button>;
  const rules = policy.rules.map((rule) => ({ ...rule, of: policy }));
  return (
    <OrganizationPage of={organization} actions={manages(organization) && edit !== 'rules' && change}>
      {edit === 'rules' ? (
        <Section title="Rules" lead="The first rule that fits counts. A wait that is open keeps the rule it began with.">
          <Box maw={720}>
            <RequestForm
              group="organizationApprovals"
              route="setPolicy"
              input={{ params: { slug } }}
              initial={{ rules: policy.rules, version: policy.version }}
              fields={['rules']}
              submit="Save the rules"
              done={({ version }) => `Version ${version} is in force.`}
              onDone={close}
              onCancel={close}
            />
          </Box>
        </Section>
      ) : (
        <Section title="Who approves what" lead="The first rule that fits counts. Where none fits, one member who may decide does.">
          <List
            label="Rules"
            pages={rules}
            columns={RULES}
            keyOf={({ name }) => name}
            empty={<Empty title="No rules" command={`svc orgs approvals set ${slug} rules.json`} />}
          />
          {policy.made_at !== null && (
            <Text size="xs" c="dimmed" mt="xs">
              Version {policy.version}, of <When at={policy.made_at} />
            </Text>
          )}
        </Section>
      )}
      <Delegations slug={slug} edit={edit === 'delegate'} onEdit={() => void navigate({ search: { edit: 'delegate' } })} onClose={close} />
    </OrganizationPage>
  );
}

type Shown = Rule & { of: Policy };

const RULES: Column<Shown>[] = [
  {
    head: 'Rule',
    wide: true,
    cell: ({ name, when }) => (
      <>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Under>{inWords(when)}</Under>
      </>
    ),
  },
  {
    head: 'Who approves',
    cell: ({ approvers, of, starter_may_count }) => (
      <>
        {who(approvers, of)}
        {starter_may_count && <Under>who started the run too</Under>}
      </>
    ),
  },
  { head: 'Within', end: true, cell: ({ deadline_seconds }) => lasting(deadline_seconds) },
  { head: 'Then', cell: ({ escalate, of }) => (escalate ? `${who(escalate.approvers, of)}, within ${lasting(escalate.deadline_seconds)}` : 'denied') },
];

const SUBJECTS: Record<NonNullable<Rule['when']['subjects']>[number], string> = {
  agent_call: 'calls of other agents',
  plan_step: 'steps of plans',
  scope_request: 'access to files',
  file_writes: 'writing files',
  policy_ask: 'what a rule for agents asks',
};

function inWords({ subjects, agents, skills, paths, min_amount_micros: least }: Rule['when']): string {
  const parts = [
    subjects?.map((one) => SUBJECTS[one]).join(', ') ?? '',
    agents ? `agents ${agents.join(', ')}` : '',
    skills ? `skills ${skills.join(', ')}` : '',
    paths ? `files ${paths.join(', ')}` : '',
    least === undefined ? '' : `from ${dollars(least)} on`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'whatever is to be approved' : parts.join('; ');
}

function who(approvers: Rule['approvers'], { people }: Policy): string {
  if ('role' in approvers) return `any ${approvers.need} of role ${approvers.role}`;
  const names = approvers.people.map((id) => {
    const person = people.find(({ user_id }) => user_id === id);
    return `${person?.email ?? id}${person?.active === false ? ' (not active)' : ''}`;
  });
  return names.length === 1 ? names.join('') : `${approvers.need === undefined ? 'all' : `any ${approvers.need}`} of ${names.join(', ')}`;
}

function lasting(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function Delegations({ slug, edit, onEdit, onClose }: { slug: string; edit: boolean; onEdit: () => void; onClose: () => void }) {
  const { items } = useRead('organizationApprovals', 'delegations', { params: { slug } });
  return (
    <Section
      title="Delegates"
      lead="A member may let another one vote for them, for a time. The vote says for whom."
      actions={!edit && <Action label="Name a delegate" onAct={onEdit} />}
    >
      {edit && (
        <Box maw={480}>
          <RequestForm
            group="organizationApprovals"
            route="delegate"
            input={{ params: { slug } }}
            submit="Name the delegate"
            done={({ to }) => `${to.email ?? to.user_id} votes for you.`}
            onDone={onClose}
            onCancel={onClose}
          />
        </Box>
      )}
      <List
        label="Delegates"
        pages={items}
        columns={delegationColumns(slug)}
        keyOf={({ delegation_id }) => delegation_id}
        empty={edit ? null : <Empty title="No delegates" command={`svc orgs delegations create ${slug} ben@example.com --until 2027-01-10T08:00:00Z`} />}
      />
    </Section>
  );
}

const delegationColumns = (slug: string): Column<Delegation>[] => [
  { head: 'Votes', wide: true, cell: ({ to }) => to.email ?? to.user_id },
  { head: 'For', cell: ({ from }) => from.email ?? from.user_id },
  { head: 'From', cell: ({ starts_at }) => <When at={starts_at} /> },
  { head: 'Until', cell: ({ ends_at }) => <When at={ends_at} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Actions', end: true, cell: (one) => <End slug={slug} of={one} /> },
];

function End({ slug, of: { delegation_id, state } }: { slug: string; of: Delegation }) {
  const end = useSend('organizationApprovals', 'endDelegation', { done: 'Ended.' });
  if (state !== 'active' && state !== 'planned') return null;
  return <Action label="End" size="xs" loading={end.isPending} onAct={() => end.mutate({ params: { slug, delegation_id } })} />;
}
