// How many decisions wait for the reader, at the bell: not those on which others vote. While it is shown,
// notifications for new ones are, too, where the reader asked for them.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { read } from '../api/query.ts';
import { refreshInterval } from '../api/refresh-interval.ts';
import { openWaits } from './inbox/open-waits.ts';
import styles from './inbox-count.module.css';

export function InboxCount() {
  const navigate = useNavigate();
  const { data } = useQuery({ ...read('inbox', 'waits', openWaits), refetchInterval: refreshInterval(10_000), refetchIntervalInBackground: wantsNews() });
  const mine = useMemo(() => data?.items.filter(({ approval }) => approval?.may_vote ?? true), [data]);
  useEffect(() => {
    if (!mine || !wantsNews()) return;
    void import('./inbox/notify.ts').then(({ newOnes, notify }) => notify(newOnes(mine), (wait) => void navigate({ to: '/inbox', search: { wait } })));
  }, [mine, navigate]);
  const count = mine?.length ?? 0;
  // Not as text: the link that it stands in is named "Inbox".
  return count === 0 ? null : <span className={styles.count} data-count={count > 99 ? '99+' : count} aria-hidden />;
}

/** The reader asked for notifications: inbox/notify.ts. */
function wantsNews(): boolean {
  return typeof window !== 'undefined' && localStorage.getItem('svc.notify') === 'on';
}
