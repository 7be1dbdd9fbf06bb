import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Facts } from '../../kit/page.tsx';
import { leaveTo } from '../leave.ts';
import { TestMoneyPage } from './frame.tsx';

const route = getRouteApi('/test-money/account/$id');

/** Where a creator says who they are, before anything is paid out to them. */
export function TestAccount() {
  const { id } = route.useParams();
  const { return: back } = route.useSearch();
  const params = { page_id: id };
  const account = useRead('testMoney', 'account', { params });
  const fill = useSend('testMoney', 'fillAccount', { done: 'Done.' });
  const act = (action: 'complete' | 'refuse') => () => fill.mutate({ params, body: { action } });
  return (
    <TestMoneyPage title="Account for payouts">
      <Facts
        of={{
          'Filled in': account.details_submitted ? 'yes' : 'not yet',
          'Takes payouts': account.payouts_enabled ? 'yes' : 'no',
          Refused: account.disabled_reason,
        }}
      />
      <Group gap="xs">
        <Action label="Fill it in" variant="filled" loading={fill.isPending} onAct={act('complete')} />
        <Action label="Have it refused" loading={fill.isPending} onAct={act('refuse')} />
        {/* Back to this dashboard alone: the address could name any place. */}
        {back !== undefined && isHere(back) && <Action label="Go back" onAct={() => leaveTo(back)} />}
      </Group>
    </TestMoneyPage>
  );
}

function isHere(url: string): boolean {
  return URL.canParse(url, location.origin) && new URL(url, location.origin).origin === location.origin;
}
