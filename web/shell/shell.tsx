// The frame: header, menu, the page with its boundaries, messages. Every page waits for it, so it is made of
// little.
import { ActionIcon, Anchor, Group, useMantineColorScheme } from '@mantine/core';
import { Link, useLocation, useMatches } from '@tanstack/react-router';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import { queries } from '../api/query.ts';
import { Hints } from '../kit/hints.tsx';
import { useInBrowser } from '../kit/in-browser.ts';
import { Toasts } from '../kit/toasts.tsx';
import { useSession } from '../session/session.ts';
import { OperatorsOnly, SignInFirst } from '../session/sign-in.tsx';
import { AccountSwitch } from './account-switch.tsx';
import { Acting } from './acting.tsx';
import { Mark } from './mark.tsx';
import { Menu, Row } from './menu.tsx';
import { Offline } from './offline.tsx';
import { Search } from './search.tsx';
import { SessionEnded } from './session-ended.tsx';
import { isDark } from './theme.ts';
import { whenIdle } from './when-idle.ts';
import styles from './shell.module.css';

export function Shell({ children }: { children: ReactNode }) {
  const session = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => (session.authenticated ? whenIdle(beginNews) : undefined), [session.authenticated]);
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <header className={styles.header}>
        <Anchor component={Link} to="/" underline="never" className={styles.mark} aria-label="svc: home">
          <Mark />
          <span>svc</span>
        </Anchor>
        <Search />
        <Group gap={4} wrap="nowrap">
          <SchemeSwitch />
          <AccountSwitch />
        </Group>
      </header>
      <Menu path={path} />
      <div className={styles.body}>
        <Acting />
        <Offline />
        <Row path={path} />
        <main id="main" tabIndex={-1} className={styles.main}>
          <Admitted>{children}</Admitted>
        </main>
      </div>
      <SessionEnded />
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
  const dark = inBrowser && isDark(colorScheme);
  const label = dark ? 'Light colors' : 'Dark colors';
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} data-hint={label} onClick={() => setColorScheme(dark ? 'light' : 'dark')}>
      {dark ? <IconSun size={19} /> : <IconMoon size={19} />}
    </ActionIcon>
  );
}
