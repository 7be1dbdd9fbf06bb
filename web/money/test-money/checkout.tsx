import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Facts } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { tell } from '../../kit/toasts.tsx';
import { ofCents } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';
import { TestMoneyPage } from './frame.tsx';

const route = getRouteApi('/test-money/checkout/$id');

export function TestCheckout() {
  const { id } = route.useParams();
  const params = { page_id: id };
  const page = useRead('testMoney', 'checkout', { params });
  const finish = useSend('testMoney', 'finishCheckout', {
    refresh: ['testMoney', 'credits', 'billing'],
    onDone: ({ state }) => {
      if (state === 'open') tell.done('Declined: nothing was paid.');
      else leaveTo(state === 'complete' ? page.success_url : page.cancel_url);
    },
  });
  const act = (action: 'pay' | 'decline' | 'cancel') => () => finish.mutate({ params, body: { action } });
  return (
    <TestMoneyPage title="Pay">
      <Facts
        of={{
          For: page.text,
          Amount: `${ofCents(page.amount_cents)}${page.kind === 'subscription' ? ' a month' : ''}`,
          Seats: page.kind === 'subscription' ? page.seats : null,
          State: <State of={page.state} />,
        }}
      />
      {page.state === 'open' ? (
        <Group gap="xs">
          <Action label="Pay" variant="filled" loading={finish.isPending} onAct={act('pay')} />
          <Action label="Decline" loading={finish.isPending} onAct={act('decline')} />
          <Action label="Cancel" loading={finish.isPending} onAct={act('cancel')} />
        </Group>
      ) : (
        <Group>
          <Action label="Go back" onAct={() => leaveTo(page.success_url)} />
        </Group>
      )}
    </TestMoneyPage>
  );
}
