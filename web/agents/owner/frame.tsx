// One agent of the reader's: its name and state, and the tabs.
import { Group, Text } from '@mantine/core';
import { getRouteApi, Link, Outlet, useLocation } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { AgentIcon } from '../../kit/agent-icon.tsx';
import { useCurrentInView } from '../../kit/current-in-view.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Page } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { tabsOf } from './tabs.ts';
import styles from './frame.module.css';

const route = getRouteApi('/agents/mine/$name');

export type Mine = Output<'agents', 'mineOne'>;

/** The agent of this page; read again often while it is on its way. */
export function useMine(): Mine {
  const { name } = route.useParams();
  return useRead('agents', 'mineOne', { params: { name } }, { every: (last) => (last?.state === 'deploying' ? 2_000 : 30_000) });
}

export function Frame() {
  const mine = useMine();
  const { name, version, state, description } = mine;
  return (
    <Page
      title={name}
      icon={<AgentIcon name={name} size={30} />}
      beside={
        <Group gap="xs">
          <State of={mine.out_of_service ? 'failing' : state} label={mine.out_of_service ? 'out of service' : state} />
          {version !== null && (
            <Text size="sm" c="dimmed">
              {version}
            </Text>
          )}
        </Group>
      }
      lead={description}
      crumbs={[{ label: 'My agents', to: '/agents/mine' }]}
      actions={
        <PageLink to="/agents/$name" params={{ name }} size="sm">
          View public page
        </PageLink>
      }
    >
      <Tabs mine={mine} />
      <Outlet />
    </Page>
  );
}

function Tabs({ mine }: { mine: Mine }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const base = `/agents/mine/${encodeURIComponent(mine.name)}`;
  const at = path.slice(base.length).split('/')[1] ?? '';
  const list = useCurrentInView<HTMLElement>(at);
  const tabs = tabsOf(mine);
  const here = tabs.find(({ pages }) => pages.some(({ to }) => to === at));
  const addressOf = (to: string): string => (to === '' ? base : `${base}/${to}`);
  return (
    <div>
      <nav aria-label="Parts of this agent" className={styles.tabs} ref={list}>
        {tabs.map(({ label, pages }) => (
          <Link
            key={label}
            to={addressOf(pages[0]?.to ?? '')}
            className={styles.tab}
            activeOptions={{ exact: true, includeSearch: false }}
            {...(label === here?.label && { 'aria-current': 'page' })}
          >
            {label}
          </Link>
        ))}
      </nav>
      {here && here.pages.length > 1 && (
        <nav aria-label={here.label} className={styles.pages}>
          {here.pages.map(({ label, to }) => (
            <Link
              key={to}
              to={addressOf(to)}
              className={styles.page}
              activeOptions={{ exact: true, includeSearch: false }}
              {...(to === at && { 'aria-current': 'page' })}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
    </div>
  );
}
