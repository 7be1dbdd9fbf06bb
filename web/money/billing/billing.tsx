// The plan of the account, and what is paid for it.
import { Alert, Group } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';
import { Invoices } from './invoices.tsx';
import { Plans } from './plans.tsx';
import { number } from '../../kit/number.ts';

type Shown = Output<'billing', 'get'>;

export function Billing() {
  const billing = useRead('billing', 'get', {}, { every: 15_000 });
  const { plan, seats, subscription, month } = billing;
  return (
    <Page
      title="Billing"
      lead="The plan of the account, and what is paid for it."
      beside={subscription && <State of={subscription.state} />}
      actions={<Moves of={billing} />}
    >
      {billing.test_money && (
        <Alert color="orange" title="Test money">
          No real money moves on this installation.
        </Alert>
      )}
      {subscription?.pay_before && (
        <Alert color="red" title="The last payment was declined">
          Pay, or change the card. If nothing is paid, the account gets the free plan <When at={subscription.pay_before} />. Nothing is deleted.
        </Alert>
      )}
      <Facts
        of={{
          Plan: plan.name,
          Seats: seats,
          ...(subscription && { [subscription.cancel_at_period_end ? 'Ends' : 'Next payment']: <When at={subscription.period_end} /> }),
          'Calls this month': `${number(month.calls)} with a price, ${dollars(month.charges_micros)} of credits`,
          'Models this month': `${dollars(month.models_micros)}, paid to their providers`,
        }}
      />
      <Section title="Plans">
        <Plans of={billing} />
      </Section>
      <Section title="Invoices" lead="Of the plan, and a statement of each month of calls.">
        <Invoices />
      </Section>
    </Page>
  );
}

function Moves({ of: { subscription, test_money } }: { of: Shown }) {
  const portal = useSend('billing', 'portal', { onDone: ({ url }) => leaveTo(url) });
  const cancel = useSend('billing', 'cancel', { refresh: ['billing'] });
  if (test_money === null) return null;
  return (
    <Group gap="xs">
      <Action label="Card and invoices" loading={portal.isPending} onAct={() => portal.mutate({})} />
      {subscription?.cancel_at_period_end && (
        <Action label="Keep the plan" variant="filled" loading={cancel.isPending} onAct={() => cancel.mutate({ body: { resume: true } })} />
      )}
      {subscription && !subscription.cancel_at_period_end && (
        <AskingAction label="Cancel the plan" question="Cancel the plan?" loading={cancel.isPending} onAct={() => cancel.mutate({ body: { resume: false } })}>
          It ends when what is paid ends. Then the account has the free plan; nothing is deleted.
        </AskingAction>
      )}
    </Group>
  );
}
