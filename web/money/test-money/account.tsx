import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Input, Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { ofCents } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';
import { TestMoneyPage } from './frame.tsx';
import { Row } from './row.tsx';

type Body = Input<'testMoney', 'fillAccount'>['body'];
type Transfer = Output<'testMoney', 'account'>['transfers'][number];
const route = getRouteApi('/test-money/account/$id');

/**
 * Where a creator says who they are, before anything is paid out to them; and what the processor and the
 * creator's bank do afterwards.
 */
export function TestAccount() {
  const { id } = route.useParams();
  const { return: back } = route.useSearch();
  const params = { page_id: id };
  const account = useRead('testMoney', 'account', { params });
  const fill = useSend('testMoney', 'fillAccount', { done: 'Done.', refresh: ['testMoney', 'payouts'] });
  const act = (body: Body) => () => fill.mutate({ params, body });
  const left = account.transfers.reduce((sum, one) => sum + one.amount_cents - one.reversed_cents, 0);
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
        <Action label="Fill it in" variant="filled" loading={fill.isPending} onAct={act({ action: 'complete' })} />
        <Action label="Have it refused" loading={fill.isPending} onAct={act({ action: 'refuse' })} />
        <Action label="Disable payouts" loading={fill.isPending} onAct={act({ action: 'restrict' })} />
        {/* Back only to this dashboard: the address could name any place. */}
        {back !== undefined && isHere(back) && <Action label="Go back" onAct={() => leaveTo(back)} />}
      </Group>
      <Section title="Transfers" lead="What payout runs sent here. The processor may take it back.">
        {account.transfers.length === 0 && <Empty title="Nothing was sent yet" />}
        {account.transfers.map((one) => (
          <Sent key={one.transfer_id} of={one} act={act} />
        ))}
      </Section>
      {left > 0 && (
        <Section title="Bank" lead="The processor sends what the account has to a bank, which may refuse it, also days later.">
          <Row text={ofCents(left)} {...(account.bank_payout !== null && { state: account.bank_payout })}>
            <Action label="The bank takes it" onAct={act({ action: 'pay_out', how: 'paid' })} />
            <Action label="The bank refuses it" onAct={act({ action: 'pay_out', how: 'failed' })} />
          </Row>
        </Section>
      )}
    </TestMoneyPage>
  );
}

function Sent({ of: { transfer_id, amount_cents, reversed_cents, created_at }, act }: { of: Transfer; act: (body: Body) => () => void }) {
  const left = amount_cents - reversed_cents;
  const amountText = reversed_cents > 0 ? `${ofCents(amount_cents)}, ${ofCents(reversed_cents)} taken back` : ofCents(amount_cents);
  return (
    <Row text={amountText} at={created_at}>
      {left > 1 && <Action label="Take half of it back" onAct={act({ action: 'take_back', transfer_id, cents: Math.floor(left / 2) })} />}
      {left > 0 && <Action label="Take it back" onAct={act({ action: 'take_back', transfer_id })} />}
    </Row>
  );
}

function isHere(url: string): boolean {
  return URL.canParse(url, location.origin) && new URL(url, location.origin).origin === location.origin;
}
