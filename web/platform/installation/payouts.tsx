// What creators are owed, and runs that pay them.
import { Group } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { usePages, useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Empty, Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { signedDollars } from '../../kit/dollars.ts';
import { OperatorPage } from '../operator-page.tsx';
import { number } from '../../kit/number.ts';

type Metrics = Output<'payoutsAdmin', 'metrics'>;
type Owed = Output<'payoutsAdmin', 'owed'>['items'][number];

export function OperatorPayouts() {
  const metrics = useRead('payoutsAdmin', 'metrics', {}, { every: 15_000 });
  const owed = usePages('payoutsAdmin', 'owed', { query: { limit: 50 } });
  const settle = useSend('payoutsAdmin', 'settle', { done: 'The run started.', refresh: ['payoutsAdmin', 'payouts'] });
  const actions = (
    <AskingAction
      label="Pay now"
      variant="filled"
      question="Pay all creators who are owed the minimum?"
      loading={settle.isPending}
      onAct={() => settle.mutate({ body: {} })}
    >
      Transfers go to the payment processor at once. A run comes every night as well.
    </AskingAction>
  );
  return (
    <OperatorPage title="Payouts" lead="What creators are owed, and what they were sent." actions={actions}>
      <Facts
        of={{
          Owed: `${signedDollars(metrics.owed_micros)} to ${number(metrics.creators_owed)} creators`,
          Held: signedDollars(metrics.held_micros),
          Sent: signedDollars(metrics.sent_micros),
          ...(metrics.below_zero_micros > 0 && {
            'To be settled': `${signedDollars(metrics.below_zero_micros)} that creators were paid for money taken back since`,
          }),
          'Not paid out': signedDollars(metrics.given_micros),
        }}
      />
      <Section title="Creators">
        <List label="Creators" pages={owed} columns={CREATORS} keyOf={({ user_id }) => user_id} empty={<Empty title="No creator is owed money." />} />
      </Section>
      <Section title="Newest runs">
        <List label="Newest runs" pages={metrics.recent} columns={RUNS} keyOf={({ run_id }) => run_id} empty={<Empty title="There was no run yet." />} />
      </Section>
    </OperatorPage>
  );
}

const CREATORS: Column<Owed>[] = [
  { head: 'Creator', wide: true, cell: (one) => <Who of={one} /> },
  { head: 'Account', cell: ({ payouts_enabled }) => <State of={payouts_enabled ? 'ready' : 'missing'} label={payouts_enabled ? 'ready' : 'not ready'} /> },
  { head: 'Owed', end: true, cell: ({ owed_micros }) => signedDollars(owed_micros) },
  { head: 'Held', end: true, cell: ({ held_micros }) => signedDollars(held_micros) },
  { head: 'Pay', end: true, cell: (one) => <PayOne of={one} /> },
];

function Who({ of: { email, user_id, last_error } }: { of: Owed }) {
  return (
    <>
      {email === '' ? user_id : email}
      {last_error !== null && <Under>{last_error.message}</Under>}
    </>
  );
}

function PayOne({ of: { user_id, email, owed_micros, payouts_enabled } }: { of: Owed }) {
  const settle = useSend('payoutsAdmin', 'settle', { done: 'The run started.', refresh: ['payoutsAdmin', 'payouts'] });
  if (owed_micros <= 0 || !payouts_enabled) return <Group />;
  return (
    <AskingAction
      label="Pay"
      question={`Pay ${email} ${signedDollars(owed_micros)}?`}
      loading={settle.isPending}
      onAct={() => settle.mutate({ body: { user_id } })}
    >
      Also below the minimum.
    </AskingAction>
  );
}

const RUNS: Column<Metrics['recent'][number]>[] = [
  { head: 'Run', wide: true, cell: ({ run_id }) => <code>{run_id.slice(-8)}</code> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Paid', end: true, cell: ({ paid, creators }) => `${paid} of ${creators}` },
  { head: 'Failed', end: true, cell: ({ failed }) => failed },
  { head: 'Sent', end: true, cell: ({ sent_micros }) => signedDollars(sent_micros) },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];
