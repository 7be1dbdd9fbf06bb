// An agent's page: what it is, and tabs for what one does with it. Signed out it shows public agents.
import { Badge, Tabs } from '@mantine/core';
import { getRouteApi, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { IconBook, IconCode, IconDatabase, IconPlayerPlay, IconSettings, IconShieldCheck } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useSession } from '../../session/session.ts';
import { AgentIcon } from '../../kit/agent-icon.tsx';
import { useCurrentInView } from '../../kit/current-in-view.ts';
import { Loading, Page } from '../../kit/page.tsx';
import { ButtonLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { Subpages } from '../../kit/subpages.tsx';
import { InstallButton } from '../installed-agents/install-button.tsx';
import { type ShownAgent, useAgent } from './agent-data.ts';
import { leadOf } from './lead.ts';

const route = getRouteApi('/agents/$name');

export function Agent() {
  const { name } = route.useParams();
  const agent = useAgent(name);
  const { authenticated } = useSession();
  return (
    <Page
      title={name}
      icon={<AgentIcon name={name} size={30} />}
      crumbs={[{ label: 'Agents', to: '/agents' }]}
      beside={<Marks agent={agent} />}
      lead={leadOf(agent.description)}
      actions={
        <>
          {agent.mine && (
            <ButtonLink to="/agents/mine/$name" params={{ name }} variant="default" leftSection={<IconSettings size={15} />}>
              Manage
            </ButtonLink>
          )}
          {authenticated && <InstallButton name={name} />}
        </>
      }
    >
      <AgentTabs agent={agent} />
    </Page>
  );
}

function Marks({ agent }: { agent: ShownAgent }) {
  return (
    <>
      {agent.out_of_service ? <State of="failing" label="out of service" /> : agent.state && <State of={agent.state} />}
      {agent.mine && (
        <Badge variant="outline" color="gray" tt="none" radius="sm">
          yours
        </Badge>
      )}
      {agent.kind === 'imported' && (
        <Badge variant="outline" color="gray" tt="none" radius="sm">
          imported
        </Badge>
      )}
    </>
  );
}

interface Part {
  value: string;
  label: string;
  icon: typeof IconBook;
  /** The first one is where the tab opens. */
  pages: readonly { label: string; to: string }[];
}

/** What this reader may open; six at most. */
function partsOf({ card, visibility }: ShownAgent, authenticated: boolean): Part[] {
  const first = card?.skills[0]?.id;
  const trust = [
    ...((visibility ?? 'public') === 'public' ? [{ label: 'Proofs', to: 'proofs' }] : []),
    ...(authenticated
      ? [
          { label: 'Evidence', to: 'evidence' },
          { label: 'Receipts', to: 'receipts' },
        ]
      : []),
  ];
  const one = (value: string, label: string, icon: typeof IconBook, to = value): Part => ({ value, label, icon, pages: [{ label, to }] });
  return [
    one('overview', 'Overview', IconBook, ''),
    ...(first === undefined ? [] : [one('try', 'Try', IconPlayerPlay, `skills/${encodeURIComponent(first)}`), one('use', 'Use', IconCode)]),
    ...(trust.length > 0 ? [{ value: 'trust', label: 'Trust', icon: IconShieldCheck, pages: trust }] : []),
    ...(authenticated ? [one('memory', 'Memory', IconDatabase)] : []),
    ...(authenticated && (card?.consumer_setup?.length ?? 0) > 0 ? [one('setup', 'Setup', IconSettings)] : []),
  ];
}

function AgentTabs({ agent }: { agent: ShownAgent }) {
  const { name } = agent;
  const { authenticated } = useSession();
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const base = `/agents/${encodeURIComponent(name)}`;
  const page = path.slice(base.length).split('/')[1] ?? '';
  const parts = partsOf(agent, authenticated);
  const here = parts.find(({ value, pages }) => (value === 'try' ? page === 'skills' : pages.some(({ to }) => to === page)));
  const at = here?.value ?? page;
  const list = useCurrentInView<HTMLDivElement>(at);
  const addressOf = (to: string): string => (to === '' ? base : `${base}/${to}`);
  const go = (tab: string | null): void => void navigate({ to: addressOf(parts.find(({ value }) => value === tab)?.pages[0]?.to ?? '') });
  return (
    <Tabs value={at} onChange={go} keepMounted={false} activateTabWithKeyboard={false}>
      <Tabs.List ref={list} mb="lg" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
        {parts.map(({ value, label, icon: Icon }) => (
          <Tabs.Tab key={value} value={value} leftSection={<Icon size={15} />}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={at}>
        {here && here.pages.length > 1 && <Subpages label={here.label} pages={here.pages.map(({ label, to }) => ({ label, to: addressOf(to) }))} />}
        <Suspense fallback={<Loading lines={3} />}>
          <Outlet />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}
