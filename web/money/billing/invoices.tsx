import { Anchor, Text } from '@mantine/core';
import { type Item, usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { number } from '../../kit/number.ts';

type Invoice = Item<'billing', 'invoices'>;

const COLUMNS: Column<Invoice>[] = [
  { head: 'Invoice', wide: true, cell: (invoice) => <Named of={invoice} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Amount', cell: ({ amount_micros }) => dollars(Math.max(0, amount_micros)) },
  { head: 'Tax', cell: ({ tax_micros }) => dollars(tax_micros) },
  { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Invoices() {
  const pages = usePages('billing', 'invoices', { query: { limit: 50 } });
  return <List label="Invoices" pages={pages} columns={COLUMNS} keyOf={({ invoice_id }) => invoice_id} empty={<Empty title="No invoices yet" />} />;
}

function Named({ of: { kind, number: serial, lines, url, pdf_url } }: { of: Invoice }) {
  const page = pdf_url ?? url;
  const name = `${kind === 'usage' ? 'Calls' : 'Plan'} ${serial ?? ''}`;
  return (
    <>
      {page === null ? (
        <Text size="sm">{name}</Text>
      ) : (
        <Anchor href={page} size="sm">
          {name}
        </Anchor>
      )}
      {lines.slice(0, 3).map((line) => (
        <Under key={line.text}>
          {line.text}: {number(line.quantity)}
        </Under>
      ))}
    </>
  );
}
