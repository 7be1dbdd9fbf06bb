// The daily look at your agents: when it is made, and what it proposes.
import { Button, NativeSelect } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PROPOSAL_STATES } from '#contract/states.ts';
import { usePages, useRead, useSend, type Item } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { Subpages } from '../../kit/subpages.tsx';
import { When } from '../../kit/when.tsx';
import { AutopilotSettings } from './autopilot-settings.tsx';
import { SUBPAGES } from './subpages.ts';
import { inWords } from '../../kit/in-words.ts';

type Proposal = Item<'agentStudio', 'proposals'>;
const route = getRouteApi('/studio/autopilot');

export function Autopilot() {
  const autopilot = useRead('agentStudio', 'autopilot', {});
  const [isSetting, setSetting] = useState(false);
  const look = useSend('agentStudio', 'lookNow', {
    done: ({ looked_at, created }) => `${looked_at} agents looked at, ${created.length} new proposals.`,
  });
  const { enabled, daily_hour, time_zone, last_day, open_proposals } = autopilot;
  return (
    <Page
      title="Autopilot"
      crumbs={[{ label: 'Studio', to: '/studio' }]}
      lead="Looks at your agents once a day: failures, cost, speed, dependencies, findings. It changes nothing. It proposes, and you decide."
      actions={
        <>
          <Action label="Look now" loading={look.isPending} onAct={() => look.mutate({})} />
          <Button onClick={() => setSetting(true)}>Settings</Button>
        </>
      }
    >
      <Subpages label="Studio" pages={SUBPAGES} />
      {isSetting && (
        <Section title="Settings">
          <AutopilotSettings of={autopilot} onClose={() => setSetting(false)} />
        </Section>
      )}
      <Facts
        of={{
          'Daily look': enabled ? `on, each day from ${String(daily_hour).padStart(2, '0')}:00 ${time_zone}` : 'off',
          'Last look': last_day ?? 'none yet',
          'Open proposals': open_proposals,
        }}
      />
      <Proposals />
    </Page>
  );
}

function Proposals() {
  const { state = 'open' } = route.useSearch();
  const navigate = useNavigate();
  const pages = usePages('agentStudio', 'proposals', { query: { state, limit: 50 } }, { every: 30_000 });
  const show = (value: string): void => {
    const wanted = [...PROPOSAL_STATES, 'all' as const].find((one) => one === value) ?? 'open';
    void navigate({ to: '/studio/autopilot', search: wanted === 'open' ? {} : { state: wanted } });
  };
  const empty = (
    <Empty title={state === 'open' ? 'No proposal is open' : 'No such proposal'} command="svc autopilot run">
      Or look at your agents here, with “Look now”.
    </Empty>
  );
  return (
    <Section
      title="Proposals"
      actions={
        <NativeSelect
          aria-label="Which proposals"
          size="xs"
          value={state}
          data={[...PROPOSAL_STATES, 'all'].map((one) => ({ value: one, label: inWords(one) }))}
          onChange={({ currentTarget }) => show(currentTarget.value)}
        />
      }
    >
      <List label="Proposals" pages={pages} columns={COLUMNS} keyOf={({ proposal_id }) => proposal_id} empty={empty} />
    </Section>
  );
}

const COLUMNS: Column<Proposal>[] = [
  {
    head: 'Proposal',
    wide: true,
    cell: ({ proposal_id, title, idea }) => (
      <>
        <PageLink to="/studio/autopilot/$proposal_id" params={{ proposal_id }} fw={600} dir="auto">
          {title}
        </PageLink>
        <Under>{idea}</Under>
      </>
    ),
  },
  {
    head: 'Agent',
    cell: ({ agent }) => (
      <PageLink to="/agents/mine/$name" params={{ name: agent }} size="sm">
        {agent}
      </PageLink>
    ),
  },
  { head: 'About', cell: ({ category }) => inWords(category) },
  { head: 'Severity', cell: ({ severity }) => <State of={severity} /> },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
];
