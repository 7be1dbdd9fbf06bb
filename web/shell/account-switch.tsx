// Who is signed in, for whom this tab acts, and the way to another account.
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconCheck, IconChevronDown, IconLogout, IconPlus, IconSettings, IconUser, IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import { OpensMenu } from '../kit/opens.tsx';
import { actFor } from '../session/act-for.ts';
import { useOrganizations } from '../session/organizations.ts';
import { useSession, useSignInPath } from '../session/session.ts';
import { useActsFor } from './acting.tsx';
import styles from './account-switch.module.css';

/** Loaded with the click: no page needs it before. */
async function signOutHere(): Promise<void> {
  const { signOut } = await import('../session/sign-out.ts');
  await signOut();
}

export function AccountSwitch() {
  const { user } = useSession();
  const signIn = useSignInPath();
  const acting = useActsFor();
  const navigate = useNavigate();
  const [isWanted, setWanted] = useState(false);
  const organizations = useOrganizations(isWanted && !acting?.only);
  if (!user)
    return (
      <Button component="a" href={signIn} size="xs">
        Sign in
      </Button>
    );
  const want = (): void => setWanted(true);
  const name = acting?.name ?? user.name ?? user.email;
  return (
    <span onPointerEnter={want} onFocus={want}>
      <OpensMenu
        width={260}
        head={user.email}
        button={
          <button type="button" className={styles.switch} aria-label={acting ? `Account: acting for ${acting.name}` : `Account: ${name}`}>
            <span className={styles.letter} data-letter={name.charAt(0).toUpperCase()} data-organization={acting ? true : undefined} aria-hidden />
            <span className={styles.name}>{name}</span>
            <IconChevronDown size={14} aria-hidden />
          </button>
        }
        items={[
          ...(acting?.only
            ? []
            : [
                { label: 'Personal account', icon: acting ? <IconUser size={16} /> : <IconCheck size={16} />, onAct: () => void (acting && actFor(undefined)) },
                ...organizations.map((one) => ({
                  label: one.name,
                  icon: one.slug === acting?.slug ? <IconCheck size={16} /> : <IconUsersGroup size={16} />,
                  onAct: () => void (one.slug === acting?.slug || actFor(one.slug)),
                })),
              ]),
          { label: 'Organizations', icon: <IconPlus size={16} />, onAct: () => void navigate({ to: '/organizations' }) },
          { label: 'Settings', icon: <IconSettings size={16} />, onAct: () => void navigate({ to: '/settings' }) },
          { label: 'Sign out', icon: <IconLogout size={16} />, onAct: () => void signOutHere() },
        ]}
      />
    </span>
  );
}
