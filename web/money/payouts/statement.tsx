// The statement of a run, checked in this browser, to be read and kept.
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { StatementLine } from '#contract/wire/statement.ts';
import { linkTo } from '../../api/organization.ts';
import { Failure } from '../../kit/failure.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { exact } from '../../kit/time.ts';
import { When } from '../../kit/when.tsx';
import { dollars, signedDollars } from '../../kit/dollars.ts';
import { type CheckedStatement, readStatement, SHOWN } from './check.ts';
import { number } from '../../kit/number.ts';

const route = getRouteApi('/payouts/runs/$run_id');

export function Statement() {
  const { run_id } = route.useParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['payouts', 'checked statement', run_id],
    // A statement never changes.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: ({ signal }) => readStatement(run_id, signal),
  });
  const path = `/v1/payouts/runs/${encodeURIComponent(run_id)}`;
  const actions = (
    <Group gap="xs">
      <Button component="a" variant="default" href={linkTo(`${path}/statement`)} download={`statement-${run_id}.json`}>
        Save the statement
      </Button>
      <Button component="a" variant="default" href={linkTo(`${path}/receipts`)} download={`receipts-${run_id}.json`}>
        Save its receipts
      </Button>
    </Group>
  );
  return (
    <Page title="Payout statement" crumbs={[{ label: 'Payout runs', to: '/payouts/runs' }]} actions={actions}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Text size="sm" c="dimmed" aria-busy="true" role="status">
          Checking…
        </Text>
      )}
      {data && <Checked of={data} />}
    </Page>
  );
}

function Checked({ of: { payload, faults, lines } }: { of: CheckedStatement }) {
  const holds = faults.length === 0;
  return (
    <>
      <Alert
        color={holds ? 'teal' : 'red'}
        icon={holds ? <IconCheck size={18} /> : <IconX size={18} />}
        title={holds ? 'The statement holds.' : 'The statement does not hold.'}
      >
        {holds
          ? 'This browser checked its signature, each line and their sum with the keys that are published here. Save it with its receipts to check those too.'
          : faults.map((fault) => <div key={fault}>{fault}</div>)}
      </Alert>
      <Facts
        of={{
          Paid: dollars(payload.paid_micros),
          Lines: number(payload.lines),
          'Carried over': `${dollars(payload.carried_micros)} (less than a cent)`,
          Period: `${exact(payload.from)} to ${exact(payload.to)}`,
          Signed: <When at={payload.issued_at} />,
          Key: <code>{payload.kid}</code>,
          Root: <code style={{ overflowWrap: 'anywhere' }}>{payload.root_sha256}</code>,
        }}
      />
      <Section title="Lines" {...(payload.lines > SHOWN && { lead: `The first ${SHOWN}. The file has all of them.` })}>
        <List label="Lines" pages={lines} columns={COLUMNS} keyOf={({ line_id }) => line_id} empty={null} />
      </Section>
    </>
  );
}

const COLUMNS: Column<StatementLine>[] = [
  { head: 'What', wide: true, cell: (line) => <What of={line} /> },
  { head: 'Charged', end: true, cell: ({ charged_micros }) => dollars(charged_micros) },
  { head: 'Received', end: true, cell: ({ received_micros }) => dollars(received_micros) },
  { head: 'Yours', end: true, cell: ({ amount_micros }) => signedDollars(amount_micros) },
  { head: 'When', cell: ({ at }) => <When at={at} /> },
];

const WITHOUT_RECEIPT: Partial<Record<StatementLine['kind'], string>> = { bounty: 'Reward of a bounty', returned: 'Came back from the payment processor' };

function What({ of: { kind, agent, skill, receipt_id, price_version } }: { of: StatementLine }) {
  if (receipt_id === null || agent === null) return <Text size="sm">{WITHOUT_RECEIPT[kind] ?? 'Carried over'}</Text>;
  return (
    <>
      <PageLink to="/receipts" search={{ agent, id: receipt_id }} size="sm">
        {agent}.{skill}
      </PageLink>
      <Under>
        {kind === 'adjustment' ? 'Correction' : 'Call'}
        {price_version !== null && `, price ${price_version}`}
      </Under>
    </>
  );
}
