// The wallet: what is in it, how it came there, and a way to add.
import { Alert, SegmentedControl, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import type { Item } from '../../api/query.ts';
import { usePages, useRead } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { dollars, changeInDollars } from '../../kit/dollars.ts';
import { TopUpForm } from './top-up-form.tsx';
import { TopUps } from './top-ups.tsx';

type Wallet = Output<'credits', 'wallet'>;
type Entry = Item<'credits', 'wallet'>;
const route = getRouteApi('/credits');
/** After a payment, until its credits are there. */
const SOON_MS = 3_000;

const WORDS: Record<Entry['kind'], string> = {
  top_up: 'Paid in',
  promotion: 'Given',
  charge: 'Call',
  escrow: 'Bounty',
  refund: 'Taken back',
  restore: 'Given back',
  payout: 'Paid out',
  payout_return: 'Payout came back',
  recovery: 'Paid what was owed',
  reversal: 'Correction',
};
const COLUMNS: Column<Entry>[] = [
  { head: 'What', wide: true, cell: ({ kind, refs }) => <What kind={kind} refs={refs} /> },
  { head: 'Amount', cell: ({ amount_micros }) => changeInDollars(amount_micros) },
  { head: 'Before', cell: ({ before_micros }) => dollars(before_micros) },
  { head: 'After', cell: ({ after_micros }) => dollars(after_micros) },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
];

export function Credits() {
  const { top_up, show } = route.useSearch();
  const navigate = route.useNavigate();
  const wallet = useRead('credits', 'wallet', { query: { limit: 1 } }, { every: top_up === undefined ? 15_000 : SOON_MS });
  return (
    <Page title="Credits" lead="Credits pay for calls that have a price. A credit is worth one US dollar.">
      {wallet.blocked && <Owed of={wallet} />}
      <Facts
        of={{
          Balance: dollars(wallet.balance_micros),
          Held: wallet.held_micros > 0 ? `${dollars(wallet.held_micros)}, for calls under way` : null,
          'Paid in': dollars(Math.max(0, wallet.bought_micros)),
          'Promotional credits': dollars(Math.max(0, wallet.given_micros)),
        }}
      />
      <Section title="Add credits">
        {wallet.top_up === null ? (
          <Empty title="Nothing can be paid on this installation.">An operator sets SVC_PAYMENTS.</Empty>
        ) : (
          <TopUpForm bounds={wallet.top_up} />
        )}
      </Section>
      <SegmentedControl
        aria-label="What is listed"
        value={show ?? 'entries'}
        data={[
          { value: 'entries', label: 'Entries' },
          { value: 'top-ups', label: 'Payments' },
        ]}
        onChange={(value) => void navigate({ search: (now) => ({ ...now, show: value === 'top-ups' ? value : undefined }) })}
      />
      {show === 'top-ups' ? <TopUps /> : <Entries soon={top_up !== undefined} />}
    </Page>
  );
}

function Entries({ soon }: { soon: boolean }) {
  const pages = usePages('credits', 'wallet', { query: { limit: 50 } }, { every: soon ? SOON_MS : false });
  const empty = (
    <Empty title="No entries" command="svc credits buy 20">
      Each payment and each call is an entry.
    </Empty>
  );
  return <List label="Entries" pages={pages} columns={COLUMNS} keyOf={({ number }) => String(number)} empty={empty} />;
}

function What({ kind, refs }: { kind: Entry['kind']; refs: Record<string, string> }) {
  const [about] = Object.values(refs);
  return (
    <>
      <Text size="sm">{WORDS[kind]}</Text>
      {about !== undefined && <Under>{about}</Under>}
    </>
  );
}

function Owed({ of }: { of: Wallet }) {
  return (
    <Alert color="red" title={`${dollars(of.owed_micros)} are owed`}>
      A payment was taken back after its credits were spent. Calls that cost something are refused until it is paid: the next credits pay it.
    </Alert>
  );
}
