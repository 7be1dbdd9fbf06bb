import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { PayoutPages } from './subpages.tsx';
import { number } from '../../kit/number.ts';

type Run = Output<'payouts', 'runs'>['items'][number];

const COLUMNS: Column<Run>[] = [
  { head: 'Run', wide: true, cell: (run) => <Named of={run} /> },
  { head: 'State', cell: ({ transfer }) => <State of={transfer} /> },
  { head: 'Amount', end: true, cell: (run) => <Sent of={run} /> },
  { head: 'Lines', end: true, cell: ({ lines }) => number(lines) },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];

export function PayoutRuns() {
  const pages = usePages('payouts', 'runs', { query: { limit: 50 } });
  const empty = (
    <Empty title="No run has paid you yet" command="svc payouts runs">
      A run comes every night, and pays who is owed the minimum.
    </Empty>
  );
  return (
    <Page title="Payout runs" lead="Each paid you what was due then, with a signed statement.">
      <PayoutPages />
      <List label="Payout runs" pages={pages} columns={COLUMNS} keyOf={({ run_id }) => run_id} empty={empty} />
    </Page>
  );
}

function Sent({ of: { amount_micros, reversed_micros } }: { of: Run }) {
  return (
    <>
      {dollars(amount_micros)}
      {reversed_micros > 0 && <Under>{dollars(reversed_micros)} came back, and is owed again</Under>}
    </>
  );
}

function Named({ of: { run_id, has_statement, error } }: { of: Run }) {
  return (
    <>
      {has_statement ? (
        <PageLink to="/payouts/runs/$run_id" params={{ run_id }} size="sm">
          Statement <code>{run_id.slice(-8)}</code>
        </PageLink>
      ) : (
        <code>{run_id.slice(-8)}</code>
      )}
      {error !== null && <Under>{error.message} The next run tries again.</Under>}
    </>
  );
}
