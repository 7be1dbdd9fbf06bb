// One account, and what an operator allows it.
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { Copyable } from '../../kit/copy.tsx';
import { Empty, Facts, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { BillingOverride } from './billing-override.tsx';
import { ControlPolicy, Suspend } from './control-policy.tsx';
import { Purge } from './purge.tsx';
import { UserFlags } from './user-flags.tsx';

const route = getRouteApi('/operator/users/$user_id');
const crumbs = [
  { label: 'Operator', to: '/operator' },
  { label: 'Users', to: '/operator/users' },
];

export function User() {
  const { user_id } = route.useParams();
  const { items } = useRead('admin', 'listUsers', { query: { id_prefix: user_id, limit: 1 } });
  const policy = useRead('admin', 'controlPolicy', { params: { user_id } });
  const user = items.find((one) => one.user_id === user_id);
  if (!user)
    return (
      <Page title="No such account" crumbs={crumbs}>
        <Empty title="No account has this id.">It may have been purged.</Empty>
      </Page>
    );
  return (
    <Page
      title={user.email}
      crumbs={crumbs}
      beside={policy.suspended ? <State of="suspended" /> : undefined}
      actions={<Suspend policy={policy} email={user.email} />}
    >
      <Facts
        of={{
          Name: user.name,
          'User id': <Copyable value={user_id} label="user id" />,
          Operator: user.operator ? 'yes' : 'no',
          Agents: user.agents,
          Runs: user.runs,
          'Account since': <When at={user.created_at} />,
          'Last seen': <When at={user.last_seen_at} />,
        }}
      />
      <ControlPolicy policy={policy} />
      <BillingOverride userId={user_id} />
      <UserFlags userId={user_id} />
      <Purge userId={user_id} email={user.email} />
    </Page>
  );
}
