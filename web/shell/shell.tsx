// The frame: menu, header, the page with its boundaries, messages. Every page waits for it, so it is made of
// little.
import { ActionIcon, Anchor, Burger, Button, Group, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation, useMatches, useNavigate } from '@tanstack/react-router';
import { IconInbox, IconLogout, IconMoon, IconSun, IconUser, IconUsersGroup } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import { actsFor } from '../api/organization.ts';
import { queries } from '../api/query.ts';
import { Hints } from '../kit/hints.tsx';
import { useInBrowser } from '../kit/in-browser.ts';
import { Toasts } from '../kit/toasts.tsx';
import { OpensMenu } from '../kit/opens.tsx';
import { actFor } from '../session/act-for.ts';
import { Limited } from './limited.tsx';
import { Menu } from './menu.tsx';
import { placesFor } from './nav.ts';
import { Search } from './search.tsx';
import { useSession, useSignInPath } from '../session/session.ts';
import { OperatorsOnly, SignInFirst } from '../session/sign-in.tsx';
import { signOut } from '../session/sign-out.ts';
import { whenIdle } from './when-idle.ts';
import { InboxCount } from '../pauses/inbox-count.tsx';
import styles from './shell.module.css';

export function Shell({ children }: { children: ReactNode }) {
  const [menu, { toggle, close }] = useDisclosure();
  const session = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(close, [path, close]);
  useEffect(() => (session.authenticated ? whenIdle(beginNews) : undefined), [session.authenticated]);
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.header}>
        <Group gap="sm" wrap="nowrap">
          <Burger opened={menu} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={menu ? 'Close the menu' : 'Open the menu'} />
          <Anchor component={Link} to="/" underline="never" className={styles.mark} aria-label="svc: home">
            svc
          </Anchor>
        </Group>
        <Search />
        <Group gap={6} wrap="nowrap">
          {session.authenticated && (
            <ActionIcon component={Link} to="/inbox" variant="subtle" color="gray" size="lg" aria-label="Inbox" data-hint="What waits for you">
              <IconInbox size={19} />
              <InboxCount />
            </ActionIcon>
          )}
          <SchemeSwitch />
          <Account />
        </Group>
      </header>
      <nav aria-label="Menu" className={styles.menu} data-open={menu || undefined}>
        <Menu places={placesFor(session)} path={path} />
      </nav>
      <main id="main" tabIndex={-1} className={styles.main}>
        <Limited />
        <Admitted>{children}</Admitted>
      </main>
      <Toasts />
      <Hints />
    </>
  );
}

/** After the first page is shown: follows account events, which refresh lists. */
function beginNews(): void {
  void import('../api/news.ts').then(({ followNews }) => followNews(queries()));
}

function Admitted({ children }: { children: ReactNode }) {
  const { authenticated, user } = useSession();
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  if (needs !== undefined && !authenticated) return <SignInFirst />;
  if (needs === 'operator' && user?.operator !== true) return <OperatorsOnly />;
  return children;
}

function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const inBrowser = useInBrowser();
  const isDark = inBrowser && (colorScheme === 'dark' || (colorScheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches));
  const label = isDark ? 'Light colors' : 'Dark colors';
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} data-hint={label} onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
      {isDark ? <IconSun size={19} /> : <IconMoon size={19} />}
    </ActionIcon>
  );
}

function Account() {
  const { user, acts_only_for: only } = useSession();
  const signIn = useSignInPath();
  const navigate = useNavigate();
  if (!user)
    return (
      <Button component="a" href={signIn} size="xs">
        Sign in
      </Button>
    );
  const organization = actsFor() ?? only?.slug;
  return (
    <OpensMenu
      width={240}
      head={organization === undefined ? user.email : `${user.email}, for ${organization}`}
      button={
        organization === undefined ? (
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
            <IconUser size={19} />
          </ActionIcon>
        ) : (
          <Button variant="light" size="xs" leftSection={<IconUsersGroup size={16} />} aria-label={`Account: acting for ${organization}`}>
            {organization}
          </Button>
        )
      }
      items={[
        { label: 'Organizations', onAct: () => void navigate({ to: '/organizations' }) },
        ...(organization === undefined || only ? [] : [{ label: 'Act for yourself', onAct: () => actFor(undefined) }]),
        { label: 'Settings', onAct: () => void navigate({ to: '/settings' }) },
        { label: 'Sign out', icon: <IconLogout size={16} />, onAct: () => void signOut() },
      ]}
    />
  );
}
