// What a payer of test money sees and changes: plan, card, invoices, and what their bank may take back.
import { Group, Select, Stack, Switch } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Input, Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { ofCents } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';
import { TestMoneyPage } from './frame.tsx';
import { Row } from './row.tsx';

type Portal = Output<'testMoney', 'portal'>;
type Act = (body: Input<'testMoney', 'usePortal'>['body']) => void;
const route = getRouteApi('/test-money/portal/$id');

export function TestPortal() {
  const { id } = route.useParams();
  const params = { page_id: id };
  const page = useRead('testMoney', 'portal', { params });
  const change = useSend('testMoney', 'usePortal', { done: 'Done.', refresh: ['testMoney', 'credits', 'billing'] });
  const act: Act = (body) => change.mutate({ params, body });
  return (
    <TestMoneyPage title="Card and invoices">
      <Group justify="space-between">
        <Switch
          label="The card declines when the next month begins"
          checked={page.card_declines}
          onChange={(event) => act({ action: 'card', declines: event.currentTarget.checked })}
        />
        <Action label="Go back" onAct={() => leaveTo(page.return_url)} />
      </Group>
      <Section title="Plans">
        {page.subscriptions.length === 0 && <Empty title="No plan was bought" />}
        {page.subscriptions.map((one) => (
          <Subscription key={one.subscription_id} of={one} plans={page.plans} act={act} />
        ))}
      </Section>
      <Section title="Invoices">
        {page.invoices.length === 0 && <Empty title="No invoices" />}
        {page.invoices.map((one) => (
          <Row key={one.invoice_id} text={ofCents(one.amount_cents)} state={one.state} at={one.created_at}>
            {one.state === 'open' && <Action label="Pay" variant="filled" onAct={() => act({ action: 'pay', invoice_id: one.invoice_id })} />}
          </Row>
        ))}
      </Section>
      <Section title="Payments for credits" lead="What a bank may take back.">
        {page.payments.length === 0 && <Empty title="No payments" />}
        {page.payments.map((one) => (
          <Payment key={one.payment_id} of={one} act={act} />
        ))}
      </Section>
    </TestMoneyPage>
  );
}

function Subscription({ of: one, plans, act }: { of: Portal['subscriptions'][number]; plans: Portal['plans']; act: Act }) {
  const { subscription_id, seats, state, cancel_at_period_end } = one;
  return (
    <Stack gap={0}>
      <Row text={`${one.plan}, ${seats} ${seats === 1 ? 'seat' : 'seats'}`} state={state} at={one.period_end}>
        {state !== 'cancelled' && (
          <Action
            label={cancel_at_period_end ? 'Keep it' : 'End it at the end of the month'}
            onAct={() => act({ action: 'cancel', subscription_id, cancel: !cancel_at_period_end })}
          />
        )}
      </Row>
      {state !== 'cancelled' && (
        <Select
          label={`Change ${one.plan} to`}
          maw={240}
          value={one.plan}
          allowDeselect={false}
          data={plans.map(({ plan, name }) => ({ value: plan, label: name }))}
          onChange={(plan) => plan !== null && plan !== one.plan && act({ action: 'plan', subscription_id, plan, seats })}
        />
      )}
    </Stack>
  );
}

function Payment({ of: { payment_id, amount_cents, refunded_cents, disputes }, act }: { of: Portal['payments'][number]; act: Act }) {
  const isOpen = disputes.includes('open');
  const isGone = refunded_cents >= amount_cents || disputes.includes('lost');
  const take = (how: 'refund' | 'dispute' | 'dispute_won' | 'dispute_lost') => () => act({ action: 'take_back', payment_id, how });
  const amountText = refunded_cents > 0 ? `${ofCents(amount_cents)}, ${ofCents(refunded_cents)} refunded` : ofCents(amount_cents);
  return (
    <Row text={amountText} {...(disputes.length > 0 && { state: `dispute ${disputes.at(-1) ?? ''}` })}>
      {!isOpen && !isGone && <Action label="Refund" onAct={take('refund')} />}
      {!isOpen && !isGone && <Action label="Dispute" onAct={take('dispute')} />}
      {isOpen && <Action label="Dispute is won" onAct={take('dispute_won')} />}
      {isOpen && <Action label="Dispute is lost" onAct={take('dispute_lost')} />}
    </Row>
  );
}
