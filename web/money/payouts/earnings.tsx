// What the reader's agents made, what was paid of it and what is owed; and the account that it is paid to.
import { inCurrency } from '#contract/money/dollars.ts';
import { Alert, Button, Group, Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { signedDollars } from '../../kit/dollars.ts';
import { PayoutPages } from './subpages.tsx';
import { number } from '../../kit/number.ts';

type EarningsReport = Output<'payouts', 'earnings'>;
type Agent = EarningsReport['agents'][number];
type Line = EarningsReport['recent'][number];

export function Earnings() {
  const earnings = useRead('payouts', 'earnings', {}, { every: 60_000 });
  const { made_micros, paid_micros, held_micros, owed_micros, given_micros, minimum_micros, hold_days } = earnings;
  return (
    <Page title="Payouts" lead="Your share of what was received for calls of your agents by others.">
      <PayoutPages />
      <Section title="Earnings">
        <Facts
          of={{
            Made: signedDollars(made_micros),
            Paid: signedDollars(paid_micros),
            Held: `${signedDollars(held_micros)} (due ${hold_days} days after the call, once your account is ready)`,
            Owed: `${signedDollars(owed_micros)} (a run pays from ${signedDollars(minimum_micros)} on)`,
            ...(given_micros > 0 && { 'Not paid out': `${signedDollars(given_micros)} of calls paid with given credits, or whose money was taken back` }),
          }}
        />
      </Section>
      <Account />
      <Section title="Agents">
        <List label="Agents" pages={earnings.agents} columns={AGENTS} keyOf={({ agent }) => agent ?? ''} empty={<Nothing />} />
      </Section>
      {earnings.recent.length > 0 && (
        <Section title="Newest lines">
          <List label="Newest lines" pages={earnings.recent} columns={LINES} keyOf={({ line_id }) => line_id} empty={null} />
        </Section>
      )}
    </Page>
  );
}

function Nothing() {
  return (
    <Empty title="Nothing yet" command="svc payouts earnings">
      Give a skill a price. Calls by accounts outside yours and its organizations count, where the call ended well.
    </Empty>
  );
}

const AGENTS: Column<Agent>[] = [
  { head: 'Agent', wide: true, cell: ({ agent }) => agent ?? <Under>Rewards of bounties</Under> },
  { head: 'Lines', end: true, cell: ({ lines }) => number(lines) },
  { head: 'Made', end: true, cell: ({ made_micros }) => signedDollars(made_micros) },
  { head: 'Held', end: true, cell: ({ held_micros }) => signedDollars(held_micros) },
  { head: 'After models', end: true, cell: ({ net_micros }) => signedDollars(net_micros) },
];

const LINES: Column<Line>[] = [
  { head: 'What', wide: true, cell: (line) => <What of={line} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Charged', end: true, cell: ({ charged_micros }) => signedDollars(charged_micros) },
  { head: 'Yours', end: true, cell: ({ amount_micros }) => signedDollars(amount_micros) },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
];

const REASONS: Record<NonNullable<Line['reason']>, string> = {
  not_ok: 'The call did not end well',
  reversed: 'Its payer got the money back',
  restored: 'Its payer paid after all',
  rounding: 'Less than a cent, left by a run before',
  transfer_reversed: 'Sent before, and came back from the payment processor',
};

function What({ of: { kind, agent, skill, receipt_id, reason } }: { of: Line }) {
  const about =
    kind === 'bounty' ? 'Reward of a bounty' : kind === 'carry' ? 'Carried over' : kind === 'returned' ? 'Came back' : `${agent ?? 'An agent'}.${skill ?? ''}`;
  return (
    <>
      {receipt_id !== null && agent !== null ? (
        <PageLink to="/receipts" search={{ agent, id: receipt_id }} size="sm">
          {about}
        </PageLink>
      ) : (
        <Text size="sm">{about}</Text>
      )}
      {reason !== null && <Under>{REASONS[reason]}</Under>}
    </>
  );
}

const SAYS: Record<Output<'payouts', 'account'>['state'], string> = {
  none: 'You have none yet. The payment processor asks for your identity and your bank account; until then your earnings are held.',
  incomplete: 'The payment processor asks for more.',
  in_review: 'The payment processor reviews your details.',
  ready: 'You can be paid.',
};

function Account() {
  const { state, requirements, disabled_reason, bank_payout, test_money } = useRead('payouts', 'account', {});
  const open = useSend('payouts', 'openAccount', { onDone: ({ url }) => window.location.assign(url) });
  return (
    <Section title="Payout account">
      <Group gap="sm">
        <State of={state} />
        <Text size="sm">{SAYS[state]}</Text>
        <Button variant={state === 'ready' ? 'default' : 'filled'} size="xs" loading={open.isPending} onClick={() => open.mutate({ body: {} })}>
          {state === 'none' ? 'Open an account' : state === 'ready' ? 'Change it' : 'Continue'}
        </Button>
      </Group>
      {disabled_reason !== null && <Alert color="orange">{disabled_reason}</Alert>}
      {requirements.length > 0 && <Text size="sm">It needs: {requirements.join(', ')}</Text>}
      {bank_payout !== null && <BankPayout of={bank_payout} />}
      {test_money && <Under>This installation uses test money: no real money moves.</Under>}
    </Section>
  );
}

/** From the processor to the creator's bank: what a run sent is there already. */
function BankPayout({ of: { state, amount, currency, failure, at } }: { of: NonNullable<Output<'payouts', 'account'>['bank_payout']> }) {
  const sum = inCurrency(amount, currency);
  if (state === 'failed')
    return (
      <Alert color="orange" title={`Your bank refused ${sum}`}>
        {failure?.message} The money is in your account at the payment processor. Change your bank account there; it is sent again.
      </Alert>
    );
  return (
    <Group gap="sm">
      <Text size="sm">Newest payout to your bank: {sum}</Text>
      <State of={state} />
      <When at={at} />
    </Group>
  );
}
