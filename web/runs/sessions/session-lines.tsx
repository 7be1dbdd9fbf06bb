import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { SessionEvent } from '#contract/wire/session.ts';
import { EventList } from '../run/events/event-list.tsx';
import { EventLog } from '../run/events/log.ts';

const route = getRouteApi('/sessions/$session_id');

/** The same lines as of a job. @param count of `events`, which grow in place */
export function SessionLines({ events, count }: { events: readonly SessionEvent[]; count: number }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const log = useMemo(() => {
    const eventLog = new EventLog();
    eventLog.add(events.map(({ seq, kind, payload, at }) => ({ id: String(seq), event: kind, data: { job_id: '', seq, kind, payload, at } })));
    return eventLog;
  }, [events, count]);
  return (
    <EventList
      of={{ log, state: 'ended', error: undefined }}
      kinds={search.kinds}
      event={search.event}
      onSearch={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false })}
    />
  );
}
