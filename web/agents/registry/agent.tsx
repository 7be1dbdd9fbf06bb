// An agent's page: what it is, and tabs for what one does with it. Signed out it shows public agents.
import { Badge, Tabs } from '@mantine/core';
import { getRouteApi, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { IconBook, IconCode, IconDatabase, IconPlayerPlay, IconReceipt, IconRosetteDiscountCheck, IconSettings, IconShieldCheck } from '@tabler/icons-react';
import { Suspense } from 'react';
import { useSession } from '../../session/session.ts';
import { useCurrentInView } from '../../kit/current-in-view.ts';
import { Loading, Page } from '../../kit/page.tsx';
import { ButtonLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
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

function AgentTabs({ agent }: { agent: ShownAgent }) {
  const { name, card } = agent;
  const { authenticated } = useSession();
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const at = tabOf(path, name);
  const list = useCurrentInView<HTMLDivElement>(at);
  const first = card?.skills[0]?.id;
  const base = `/agents/${encodeURIComponent(name)}`;
  const go = (tab: string | null): void => {
    const to = tab === 'try' ? `${base}/skills/${encodeURIComponent(first ?? '')}` : tab === 'overview' || tab === null ? base : `${base}/${tab}`;
    void navigate({ to });
  };
  return (
    <Tabs value={at} onChange={go} keepMounted={false} activateTabWithKeyboard={false}>
      <Tabs.List ref={list} mb="lg" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
        <Tabs.Tab value="overview" leftSection={<IconBook size={15} />}>
          Overview
        </Tabs.Tab>
        {first !== undefined && (
          <Tabs.Tab value="try" leftSection={<IconPlayerPlay size={15} />}>
            Try
          </Tabs.Tab>
        )}
        {first !== undefined && (
          <Tabs.Tab value="use" leftSection={<IconCode size={15} />}>
            Use
          </Tabs.Tab>
        )}
        {authenticated && (card?.consumer_setup?.length ?? 0) > 0 && (
          <Tabs.Tab value="setup" leftSection={<IconSettings size={15} />}>
            Setup
          </Tabs.Tab>
        )}
        {(agent.visibility ?? 'public') === 'public' && (
          <Tabs.Tab value="proofs" leftSection={<IconRosetteDiscountCheck size={15} />}>
            Proofs
          </Tabs.Tab>
        )}
        {authenticated && (
          <Tabs.Tab value="evidence" leftSection={<IconShieldCheck size={15} />}>
            Evidence
          </Tabs.Tab>
        )}
        {authenticated && (
          <Tabs.Tab value="receipts" leftSection={<IconReceipt size={15} />}>
            Receipts
          </Tabs.Tab>
        )}
        {authenticated && (
          <Tabs.Tab value="memory" leftSection={<IconDatabase size={15} />}>
            Memory
          </Tabs.Tab>
        )}
      </Tabs.List>
      <Tabs.Panel value={at}>
        <Suspense fallback={<Loading lines={3} />}>
          <Outlet />
        </Suspense>
      </Tabs.Panel>
    </Tabs>
  );
}

function tabOf(path: string, name: string): string {
  const rest = path.slice(`/agents/${encodeURIComponent(name)}`.length).split('/')[1] ?? '';
  return rest === '' ? 'overview' : rest === 'skills' ? 'try' : rest;
}
