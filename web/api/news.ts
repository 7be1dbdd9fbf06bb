// What changes for the account, as it changes: what is shown of it is read again. One stream for all tabs of
// a browser, as a browser has few connections to one address: the tab that holds the lock has it and informs
// the others.
import type { QueryClient } from '@tanstack/react-query';
import type { Contract } from '#contract/index.ts';
import type { AccountEventKind as Kind } from '#contract/states.ts';
import { actsFor } from './organization.ts';
import type { GroupName } from './client.ts';
import { follow, type StreamEvent } from './stream.ts';
import { setReceivingEvents } from './refresh-interval.ts';

/** Tabs that act for one account share a stream; those that act for another have another. */
const nameOf = (): string => `svc.news/${actsFor() ?? ''}`;
/** Many changes at once are one reading. */
const TOGETHER_MS = 300;
/** Between two readings of one group. */
const SELDOM_MS = 1_500;

type PathOf<At> = At extends `GET ${infer Path}` ? Path : never;
const PATH: PathOf<Contract['accountEvents']['stream']['at']> = '/v1/me/events';

type News = { kinds: Kind[] } | { live: boolean } | { ask: true };

/** Whose answers are out of date then. */
const GROUPS: Record<Kind, readonly GroupName[]> = {
  job: ['workLedger', 'myRuns', 'dagRuns', 'subagentRuns', 'agentSessions', 'metaAgentRuns'],
  wait: ['inbox', 'workLedger'],
  agent: ['agents'],
  deployment: ['agents'],
  reset: ['workLedger', 'myRuns', 'dagRuns', 'subagentRuns', 'agentSessions', 'metaAgentRuns', 'inbox', 'agents'],
};

/** From now on, until the page is left. */
export function followNews(queries: QueryClient): void {
  if (!('locks' in navigator)) return;
  const name = nameOf();
  const channel = new BroadcastChannel(name);
  const refresh = refresher(queries);
  const hear = (news: News): void => {
    if ('kinds' in news) refresh(news.kinds);
    if ('live' in news) setReceivingEvents(news.live);
  };
  channel.onmessage = ({ data }: MessageEvent<News>) => hear(data);
  const tell = (news: News): void => {
    hear(news);
    channel.postMessage(news);
  };
  // Another tab may have the stream already.
  channel.postMessage({ ask: true } satisfies News);
  void navigator.locks.request(name, () => lead(channel, tell, hear));
}

/** Holds the stream, for as long as the tab is there. */
async function lead(channel: BroadcastChannel, tell: (news: News) => void, hear: (news: News) => void): Promise<void> {
  let isLive = false;
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    if ('ask' in data) channel.postMessage({ live: isLive } satisfies News);
    else hear(data);
  };
  await follow(PATH, {
    // The position of the previous tab is unknown: the first event is a reset, and all lists are read again.
    onEvents: (events) => tell({ kinds: [...new Set(events.map(kindOf))] }),
    onState: (state) => {
      isLive = state === 'live';
      tell({ live: isLive });
    },
    isOver: () => false,
    signal: new AbortController().signal,
  }).catch(() => undefined);
  tell({ live: false });
}

// Safe: the API's own stream; a kind that this page does not know changes nothing here.
const kindOf = ({ event }: StreamEvent): Kind => event as Kind;

function refresher(queries: QueryClient): (kinds: readonly Kind[]) => void {
  const due = new Set<GroupName>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const read = (): void => {
    timer = undefined;
    last = Date.now();
    for (const group of due) void queries.invalidateQueries({ queryKey: [group] });
    due.clear();
  };
  return (kinds) => {
    for (const group of kinds.flatMap((kind) => GROUPS[kind] ?? [])) due.add(group);
    if (due.size > 0) timer ??= setTimeout(read, Math.max(TOGETHER_MS, last + SELDOM_MS - Date.now()));
  };
}
