// What the reader paid for calls of skills that have a price.
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { number } from '../../kit/number.ts';

type Charge = Output<'charges', 'list'>['items'][number];
const route = getRouteApi('/charges');

const COLUMNS: Column<Charge>[] = [
  { head: 'Call', wide: true, cell: (charge) => <Called of={charge} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Cost', end: true, cell: (charge) => costOf(charge) },
  { head: 'Counted', cell: ({ units }) => <Under>{units && countedOf(units)}</Under> },
  { head: 'Began', cell: ({ started_at }) => <When at={started_at} /> },
];

export function Charges() {
  const { agent } = route.useSearch();
  const pages = usePages('charges', 'list', { query: { limit: 50, ...(agent !== undefined && { agent }) } });
  return (
    <Page title="Charges" lead="What you paid for calls of skills that have a price. A call that did not go well cost nothing.">
      <List
        label="Charges"
        pages={pages}
        columns={COLUMNS}
        keyOf={({ charge_id }) => charge_id}
        empty={
          <Empty
            title="No paid calls."
            action={
              <ButtonLink to="/agents" variant="light">
                Find agents
              </ButtonLink>
            }
            command="svc charges"
          >
            What a call costs is shown on the page of its agent before you make it.
          </Empty>
        }
      />
    </Page>
  );
}

function Called({ of: { agent, skill, run_id } }: { of: Charge }) {
  return (
    <PageLink to="/runs/$run_id" params={{ run_id }} fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {agent === null ? skill : `${agent}.${skill}`}
    </PageLink>
  );
}

// words: shown
function costOf({ free, amount_micros, held_micros }: Charge): string {
  if (free) return 'free';
  return amount_micros === null ? `up to ${dollars(held_micros)}` : dollars(amount_micros);
}
function countedOf({ calls, seconds, tokens, artifacts }: NonNullable<Charge['units']>): string {
  // words: shown
  const counted: [number, string][] = [
    [calls, 'call'],
    [seconds, 's'],
    [tokens, 'tokens'],
    [artifacts, 'artifacts'],
  ];
  return counted.flatMap(([many, unit]) => (many === 0 ? [] : [`${number(many)} ${unit}`])).join(', ');
}
