// While the platform cannot be reached: a line above the page, and no click leads away from it.
import { Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { IconWifiOff } from '@tabler/icons-react';
import { useEffect } from 'react';
import { isOnline, useOnline } from '../api/online.ts';
import { tell } from '../kit/toasts.tsx';
import styles from './strip.module.css';

export function Offline() {
  const online = useOnline();
  const { history } = useRouter();
  useEffect(() => {
    const stays = (): boolean => {
      if (isOnline()) return false;
      tell.failed(new Error('That page cannot be loaded without a connection. You are still on this one, and nothing is lost.'));
      return true;
    };
    const release = history.block({
      enableBeforeUnload: false,
      blockerFn: ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && stays(),
    });
    // Of a link that the browser itself would follow.
    const onClick = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
      if (!link || event.defaultPrevented || link.target === '_blank' || link.pathname === location.pathname) return;
      if (stays()) event.preventDefault();
    };
    addEventListener('click', onClick, true);
    return () => {
      release();
      removeEventListener('click', onClick, true);
    };
  }, [history]);
  return (
    <div role="status">
      {!online && (
        <div className={styles.strip} data-kind="offline">
          <IconWifiOff size={16} aria-hidden />
          <Text size="sm" span>
            You are offline. This page stays as it is and continues when the connection is back.
          </Text>
        </div>
      )}
    </div>
  );
}
