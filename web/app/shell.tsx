// The frame: menu, header, the page with its boundaries, messages.
import {
  ActionIcon,
  Anchor,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useLocation, useMatches } from '@tanstack/react-router';
import { IconInbox, IconLogout, IconMoon, IconSearch, IconSun, IconUser } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Toasts } from '../kit/toasts.tsx';
import { useHotkey } from '../kit/hotkey.ts';
import { placesFor } from './nav.ts';
import { useSession, useSignInPath } from './session.ts';
import { OperatorsOnly, SignInFirst } from './sign-in.tsx';
import { signOut } from './sign-out.ts';
import { InboxCount } from '../runs/inbox-count.tsx';
import styles from './shell.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

export function Shell({ children }: { children: ReactNode }) {
  const [menu, { toggle, close }] = useDisclosure();
  const [palette, { open: openPalette, close: closePalette }] = useDisclosure();
  const session = useSession();
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(close, [path, close]);
  useHotkey('mod+k', openPalette);
  useHotkey('/', openPalette);
  return (
    <AppShell header={{ height: 52 }} navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !menu } }} padding={{ base: 'md', sm: 'xl' }}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={menu} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={menu ? 'Close the menu' : 'Open the menu'} />
            <Anchor component={Link} to="/" underline="never" className={styles.mark} aria-label="svc: home">
              svc
            </Anchor>
          </Group>
          <UnstyledButton className={styles.search} onClick={openPalette}>
            <IconSearch size={15} />
            <Text size="sm" span className={styles.words}>
              Search or go to…
            </Text>
            <Kbd size="xs" visibleFrom="sm">
              {navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'} K
            </Kbd>
          </UnstyledButton>
          <Group gap={6} wrap="nowrap">
            {session.authenticated && (
              <Tooltip label="What waits for you">
                <ActionIcon component={Link} to="/inbox" variant="subtle" color="gray" size="lg" aria-label="Inbox">
                  <IconInbox size={19} />
                  <InboxCount />
                </ActionIcon>
              </Tooltip>
            )}
            <SchemeSwitch />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Menu">
        <AppShell.Section grow component={ScrollArea} p="xs">
          {placesFor(session)
            .filter((place) => place.menu)
            .map(({ label, to, icon: Icon }) => (
              <NavLink
                key={to}
                component={Link}
                to={to}
                // Below it is where `active` says so: /agents is not where one is at /agents/mine.
                activeOptions={{ exact: true }}
                label={label}
                leftSection={<Icon size={17} stroke={1.7} />}
                active={to === '/' ? path === '/' : isAt(path, to)}
                variant="light"
                className={styles.place ?? ''}
              />
            ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={styles.main}>
        <Admitted>{children}</Admitted>
      </AppShell.Main>
      <Toasts />
      <Suspense>{palette && <Palette onClose={closePalette} />}</Suspense>
    </AppShell>
  );
}

/** /agents is not where one is at /agents/mine. */
function isAt(path: string, to: string): boolean {
  if (to === '/agents' && path.startsWith('/agents/mine')) return false;
  return path === to || path.startsWith(`${to}/`);
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
  const isDark = colorScheme === 'dark' || (colorScheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  const label = isDark ? 'Light colors' : 'Dark colors';
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={() => setColorScheme(isDark ? 'light' : 'dark')}>
        {isDark ? <IconSun size={19} /> : <IconMoon size={19} />}
      </ActionIcon>
    </Tooltip>
  );
}

function Account() {
  const { user } = useSession();
  const signIn = useSignInPath();
  if (!user)
    return (
      <Button component="a" href={signIn} size="xs">
        Sign in
      </Button>
    );
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Account">
          <IconUser size={19} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{user.email}</Menu.Label>
        <Menu.Item component={Link} to="/settings">
          Settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
