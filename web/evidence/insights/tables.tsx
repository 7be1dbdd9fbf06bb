// What insights list: groups of calls, causes of failures, sleep, models, earnings.
import { Text } from '@mantine/core';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { duration } from '../../kit/time.ts';
import { number } from '../../kit/number.ts';
import { CALLERS, money, share, time } from './words.ts';

type Calls = Output<'agentInsights', 'calls'>;

export function Groups({ of, by }: { of: Calls['groups']; by: string }) {
  return (
    <List
      label={`Calls by ${by}`}
      pages={of}
      keyOf={({ key }) => key}
      empty={<Empty title="No calls to group." />}
      columns={[
        {
          head: by === 'caller' ? 'Kind of caller' : by === 'skill' ? 'Skill' : 'Version',
          wide: true,
          cell: ({ key }) => (by === 'caller' ? (CALLERS[key] ?? key) : <code>{key || 'unknown'}</code>),
        },
        { head: 'Calls', end: true, cell: ({ calls }) => number(calls) },
        { head: 'Failed', end: true, cell: ({ failed, calls }) => (failed === 0 ? '0' : `${number(failed)}, ${share(failed, calls)}`) },
        { head: 'Half within', end: true, cell: ({ p50_ms }) => time(p50_ms) },
        { head: '95 % within', end: true, cell: ({ p95_ms }) => time(p95_ms) },
        { head: '99 % within', end: true, cell: ({ p99_ms }) => time(p99_ms) },
      ]}
    />
  );
}

export function Failures({ of }: { of: Calls['failures'] }) {
  return (
    <Section title="Why calls failed">
      <List
        label="Failures by cause"
        pages={of}
        keyOf={({ code }) => code}
        empty={null}
        columns={[
          { head: 'Code', wide: true, cell: ({ code }) => <code>{code}</code> },
          { head: 'Calls', end: true, cell: ({ calls }) => number(calls) },
        ]}
      />
    </Section>
  );
}

export function Sleep({ of }: { of: Calls['sleep'] }) {
  return (
    <Section title="Sleep" lead="How deep its machine slept between calls, and how long it took to wake.">
      <List
        label="Sleep"
        pages={of}
        keyOf={({ tier }) => tier}
        empty={null}
        columns={[
          { head: 'Woke from', wide: true, cell: ({ tier }) => tier },
          { head: 'Times', end: true, cell: ({ wakes }) => number(wakes) },
          { head: 'Half within', end: true, cell: ({ wake_p50_ms }) => time(wake_p50_ms) },
          { head: '95 % within', end: true, cell: ({ wake_p95_ms }) => time(wake_p95_ms) },
          { head: 'Slept', end: true, cell: ({ slept_seconds }) => duration(slept_seconds * 1_000) },
        ]}
      />
    </Section>
  );
}

export function Models({ of }: { of: Calls['models'] }) {
  return (
    <Section title="Models" lead="What its runs used. Costs are those on your credentials; what callers pay is theirs to see.">
      <List
        label="Models"
        pages={of}
        keyOf={({ model }) => model}
        empty={null}
        columns={[
          { head: 'Model', wide: true, cell: ({ model }) => <code>{model}</code> },
          {
            head: 'Uses',
            end: true,
            cell: ({ uses, paid_by_callers }) => `${number(uses)}${paid_by_callers === 0 ? '' : `, ${number(paid_by_callers)} paid by callers`}`,
          },
          { head: 'Tokens in', end: true, cell: ({ input_tokens }) => number(input_tokens) },
          { head: 'Tokens out', end: true, cell: ({ output_tokens }) => number(output_tokens) },
          { head: 'Cost', end: true, cell: ({ cost_micros }) => money(cost_micros) },
        ]}
      />
    </Section>
  );
}

export function Payouts({ name }: { name: string }) {
  const payouts = useRead('agentInsights', 'payouts', { params: { name }, query: {} }, { every: 300_000 });
  const { by_owner, without_account, not_ok } = payouts.not_qualifying;
  return (
    <Section title="Earnings" lead={`${payouts.rule} The last twelve months.`}>
      <Text size="sm" mb="sm">
        {number(payouts.qualifying)} receipts qualify; {number(by_owner)} are yours, {number(without_account)} of no account, {number(not_ok)} did not end well.
        {payouts.unpriced !== null && ' No price is set for this agent, so there is no amount.'}
        {payouts.amount_micros !== null && ` You earned ${money(payouts.amount_micros)}, without what the platform keeps.`}
      </Text>
      <List
        label="Receipts that qualify"
        pages={payouts.months}
        keyOf={({ month, skill }) => `${month} ${skill}`}
        empty={<Empty title="No receipt qualifies yet.">Calls by other accounts that end well do.</Empty>}
        columns={[
          { head: 'Month', cell: ({ month }) => month },
          { head: 'Skill', wide: true, cell: ({ skill }) => <code>{skill}</code> },
          { head: 'Receipts', end: true, cell: ({ receipts }) => number(receipts) },
          { head: 'Amount', end: true, cell: ({ amount_micros }) => (amount_micros === null ? 'no price' : money(amount_micros)) },
        ]}
      />
    </Section>
  );
}
