// Server-sent events that survive what browsers go through: a closed lid, a lost network, an API that starts
// again. Each event comes once, in order.
import { useEffect, useRef, useState } from 'react';
import { ApiError, refusalOf } from '#contract/client.ts';
import { eventReader } from '#contract/wire/event-stream.ts';
import { organizationHeader } from './organization.ts';

export interface StreamEvent {
  /** The sequence number, where the stream has them. */
  id: string | undefined;
  event: string;
  data: unknown;
}

export interface FollowOptions {
  /** Everything after this event; absent: from the start. */
  after?: string;
  onEvents(events: StreamEvent[]): void;
  /** Asked when the stream ended: true: nothing more will come. An API that stops ends its streams, too. */
  isOver(): boolean | Promise<boolean>;
  /** live: connected; waiting: lost, and tried again. */
  onState?(state: 'live' | 'waiting'): void;
  signal: AbortSignal;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The API sends a comment every 15 s: silence for longer means that the connection is dead. */
const SILENCE_MS = 40_000;
/** Of one event; an agent's answer has at most 16 MB. */
export const MOST_EVENT_CHARACTERS = 32 * 1024 * 1024;

/** Resolves when nothing more will come. @throws ApiError when the API refuses */
export async function follow(url: string, { after, onEvents, isOver, onState, signal, ...request }: FollowOptions): Promise<void> {
  let last = after;
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      const ended = await once(url, { last, request, signal, onLive: () => onState?.('live') }, (events) => {
        wait = FIRST_WAIT_MS;
        last = events.at(-1)?.id ?? last;
        onEvents(events);
      });
      if (ended && (await isOver())) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    if (signal.aborted) return;
    onState?.('waiting');
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

interface Once {
  last: string | undefined;
  request: Pick<FollowOptions, 'method' | 'headers' | 'body'>;
  signal: AbortSignal;
  onLive(): void;
}

/** False: it broke off. */
async function once(url: string, { last, request, signal, onLive }: Once, onEvents: (events: StreamEvent[]) => void): Promise<boolean> {
  const silent = new AbortController();
  const response = await fetch(url, {
    ...request,
    headers: { accept: 'text/event-stream', ...organizationHeader(), ...request.headers, ...(last !== undefined && { 'last-event-id': last }) },
    signal: AbortSignal.any([signal, silent.signal]),
  });
  // The stream ended, and nothing came since.
  if (response.status === 204) return true;
  if (!response.ok || !response.body) throw await refusalOf(response);
  onLive();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), SILENCE_MS);
  };
  heard();
  const batch = framed(onEvents);
  // By hand: a stream of events would await each of ten thousand separately.
  const events = eventReader({
    maxLength: MOST_EVENT_CHARACTERS,
    // Without data: a heartbeat of somebody on the way.
    onEvent: ({ id, event = 'message', data }) => data !== '' && batch.add({ id, event, data: JSON.parse(data) }),
  });
  const chunks = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return true;
      heard();
      events.take(value);
    }
  } finally {
    clearTimeout(timer);
    batch.flush();
  }
}

const FRAME_MS = 16;

/**
 * Events of one frame of the screen together: a thousand of them draw once. Those that follow none are given
 * at once.
 */
function framed(onEvents: (events: StreamEvent[]) => void): { add(event: StreamEvent): void; flush(): void } {
  let events: StreamEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (events.length === 0) return;
    const these = events;
    events = [];
    last = performance.now();
    onEvents(these);
  };
  return {
    add(event) {
      events.push(event);
      // A tab that is not seen has no frames.
      timer ??= setTimeout(flush, Math.max(0, last + FRAME_MS - performance.now()));
    },
    flush,
  };
}

/** Ends early where the network comes back or the page is seen again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    const seen = (): void => void (document.visibilityState === 'visible' && end());
    function end(): void {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      document.removeEventListener('visibilitychange', seen);
      signal.removeEventListener('abort', end);
      resolve();
    }
    window.addEventListener('online', end);
    document.addEventListener('visibilitychange', seen);
    signal.addEventListener('abort', end);
  });
}

export type StreamState = 'connecting' | 'live' | 'waiting' | 'ended';

export interface StreamUse {
  onEvents(events: StreamEvent[]): void;
  isOver(): boolean | Promise<boolean>;
  /** Everything after this event, of the first request. */
  after?: string;
}

/**
 * Follows `url` while the component is there; null: nothing. The functions may change from one render to the
 * next.
 */
export function useEventStream(url: string | null, use: StreamUse): { state: StreamState; error: Error | undefined } {
  const [state, setState] = useState<StreamState>('connecting');
  const [error, setError] = useState<Error>();
  const latest = useRef(use);
  useEffect(() => {
    latest.current = use;
  });
  useEffect(() => {
    if (url === null) return undefined;
    const stop = new AbortController();
    setState('connecting');
    setError(undefined);
    follow(url, {
      ...(latest.current.after !== undefined && { after: latest.current.after }),
      onEvents: (events) => latest.current.onEvents(events),
      isOver: () => latest.current.isOver(),
      onState: setState,
      signal: stop.signal,
    }).then(
      () => void (stop.signal.aborted || setState('ended')),
      (reason: unknown) => {
        setState('ended');
        setError(reason instanceof Error ? reason : new Error(String(reason)));
      },
    );
    return () => stop.abort();
  }, [url]);
  return { state, error };
}
