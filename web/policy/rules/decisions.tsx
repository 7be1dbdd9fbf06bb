// What the rules of the account decided, newest first, and by which rule.
import { Group, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense } from 'react';
import { POLICY_ACTIONS, POLICY_OUTCOMES } from '#contract/states.ts';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading, Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import type { DecisionSearch } from './decision-search.ts';
import { ACTION_WORDS, Entity, PolicyTabs, Who } from './parts.tsx';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/policy/decisions');

export function Decisions() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (next: DecisionSearch): void => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page title="Rules for agents" lead="The decisions of your rules, with the facts that they used. Contents and credentials are never among them.">
      <PolicyTabs />
      <Group gap="xs">
        <Select
          aria-label="Outcome"
          placeholder="All outcomes"
          size="xs"
          clearable
          data={[...POLICY_OUTCOMES]}
          value={search.outcome ?? null}
          onChange={(outcome) => set({ outcome: POLICY_OUTCOMES.find((one) => one === outcome) })}
        />
        <Select
          aria-label="Action"
          placeholder="All actions"
          size="xs"
          clearable
          data={POLICY_ACTIONS.map((value) => ({ value, label: ACTION_WORDS[value] }))}
          value={search.action ?? null}
          onChange={(action) => set({ action: POLICY_ACTIONS.find((one) => one === action) })}
        />
      </Group>
      <Suspense fallback={<Loading />}>
        <DecisionList search={search} />
      </Suspense>
    </Page>
  );
}

function DecisionList({ search }: { search: DecisionSearch }) {
  const pages = usePages('policy', 'decisions', { query: { ...search, limit: 50 } }, { every: 10_000 });
  return (
    <List
      label="Decisions"
      pages={pages}
      keyOf={({ decision_id }) => decision_id}
      columns={[
        {
          head: 'What',
          wide: true,
          cell: ({ resource, context, action }) => (
            <>
              <Entity of={resource} />
              <Under>
                {ACTION_WORDS[action]} {factsOf(context)}
              </Under>
            </>
          ),
        },
        { head: 'Who', cell: (decision) => <Who of={decision} /> },
        { head: 'Outcome', cell: ({ outcome }) => <State of={outcome} /> },
        {
          head: 'By',
          cell: ({ reasons, rules_version }) => (
            <>
              {reasons.map((reason) => inWords(reason)).join(', ')}
              <Under>version {rules_version}</Under>
            </>
          ),
        },
        { head: 'Decided', end: true, cell: ({ decided_at }) => <When at={decided_at} /> },
      ]}
      empty={
        search.outcome || search.action ? (
          <Empty title="No decisions match.">Remove a filter to see more.</Empty>
        ) : (
          <Empty title="Nothing was decided yet" command="svc policy rules push rules.cedar">
            Decisions come here while the account has rules.
          </Empty>
        )
      }
    />
  );
}

/** Amounts and counts in a few words; the time has a column of its own. */
function factsOf({ money, calls, grant }: Record<string, unknown>): string {
  const facts = [
    ...Object.entries(Object(money)).map(([name, value]) => `${inWords(name)}: ${String(value)}`),
    ...Object.entries(Object(calls)).map(([name, value]) => `calls of the ${name}: ${String(value)}`),
    ...(typeof grant === 'object' && grant !== null && 'id' in grant ? [`grant ${String(grant.id)}`] : []),
  ];
  return facts.length === 0 ? '' : `(${facts.join(', ')})`;
}
