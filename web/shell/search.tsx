// The button and the keys that open the palette. It is made when the page is idle, before one of them asks
// for it.
import { Kbd, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, startTransition, Suspense, useEffect, useState } from 'react';
import { useInBrowser } from '../kit/in-browser.ts';
import { useHotkey } from '../kit/hotkey.ts';
import { useSession } from '../session/session.ts';
import { whenIdle } from './when-idle.ts';
import styles from './search.module.css';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

export function Search() {
  const { authenticated } = useSession();
  const inBrowser = useInBrowser();
  const [opened, { open, close }] = useDisclosure();
  const [wanted, setWanted] = useState(false);
  useEffect(() => (authenticated ? whenIdle(() => startTransition(() => setWanted(true))) : undefined), [authenticated]);
  useHotkey('mod+k', open);
  useHotkey('/', open);
  return (
    <>
      <UnstyledButton className={styles.search} onClick={open}>
        <IconSearch size={15} />
        <Text size="sm" span className={styles.words}>
          Search or go to…
        </Text>
        <Kbd size="xs" visibleFrom="sm">
          {inBrowser && navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'} K
        </Kbd>
      </UnstyledButton>
      <Suspense>{(wanted || opened) && <Palette opened={opened} onClose={close} />}</Suspense>
    </>
  );
}
