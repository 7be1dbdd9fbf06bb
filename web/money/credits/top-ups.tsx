import { Anchor } from '@mantine/core';
import { type Item, usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars, ofCents } from '../../kit/dollars.ts';

type TopUp = Item<'credits', 'topUps'>;

const COLUMNS: Column<TopUp>[] = [
  { head: 'Top-up', wide: true, cell: ({ top_up_id, test_money }) => <Named id={top_up_id} test={test_money} /> },
  { head: 'State', cell: ({ state, disputed }) => <State of={disputed ? 'suspended' : state} label={disputed ? 'disputed' : state} /> },
  { head: 'Credits', cell: ({ amount_cents }) => ofCents(amount_cents) },
  { head: 'Tax', cell: ({ tax_cents }) => ofCents(tax_cents) },
  { head: 'Taken back', cell: ({ taken_back_micros }) => (taken_back_micros === 0 ? <Under>none</Under> : dollars(taken_back_micros)) },
  { head: 'When', cell: ({ created_at, url }) => (url === null ? <When at={created_at} /> : <Anchor href={url}>Pay it</Anchor>) },
];

export function TopUps() {
  const pages = usePages('credits', 'topUps', { query: { limit: 50 } });
  return <List label="Payments" pages={pages} columns={COLUMNS} keyOf={({ top_up_id }) => top_up_id} empty={<Empty title="No payments yet." />} />;
}

function Named({ id, test }: { id: string; test: boolean }) {
  return (
    <>
      <span style={{ overflowWrap: 'anywhere' }}>{id}</span>
      {test && <Under>Test money</Under>}
    </>
  );
}
