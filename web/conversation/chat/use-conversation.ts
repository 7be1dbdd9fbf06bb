// One thread, kept up to date: its newest messages and what belongs to them, earlier ones on demand, new
// events as they happen.
import { useCallback, useRef, useState } from 'react';
import { pathTo } from '#contract/path-to.ts';
import { send, type Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { type StreamEvent, type StreamState, useEventStream } from '../../api/stream.ts';
import { tell } from '../../kit/toasts.tsx';
import { type Conversation, NOTHING, type ThreadEvent, withEvents } from './conversation.ts';

type Messages = Output<'chatThreads', 'messages'>;

const MESSAGES = 30;
const PAGE = 1000;

export interface LiveConversation {
  conversation: Conversation;
  state: StreamState;
  error: Error | undefined;
  /** Undefined: all of it is shown. */
  showEarlier: (() => Promise<void>) | undefined;
  isLoadingEarlier: boolean;
}

export function useConversation(threadId: string): LiveConversation {
  const messages = useRead('chatThreads', 'messages', { params: { thread_id: threadId }, query: { limit: MESSAGES } });
  // What is read again later does not move the beginning.
  const [beginning, setBeginning] = useState(() => beginningOf(messages));
  const [conversation, setConversation] = useState(NOTHING);
  const [isLoadingEarlier, setLoading] = useState(false);
  const seen = useRef<{ events: ThreadEvent[]; after: string }>({ events: [], after: String(beginning.after) });
  const { after } = seen.current;
  const { state, error } = useEventStream(pathTo('GET /v1/me/threads/{thread_id}/activity', { thread_id: threadId }), {
    after,
    onEvents(events) {
      const of = events.map(threadEvent);
      seen.current.events.push(...of);
      setConversation((now) => withEvents(now, of));
    },
    // Ends with the thread: then this is refused.
    async isOver() {
      await send('chatThreads', 'activity', { params: { thread_id: threadId }, query: { limit: 1 } });
      return false;
    },
  });
  const showEarlier = useCallback(async () => {
    setLoading(true);
    try {
      const page = await send('chatThreads', 'messages', { params: { thread_id: threadId }, query: { limit: MESSAGES, cursor: beginning.cursor } });
      const next = beginningOf(page);
      const earlier = await eventsBetween(threadId, next.after, beginning.after);
      seen.current.events = [...earlier, ...seen.current.events];
      setConversation(withEvents(NOTHING, seen.current.events));
      setBeginning(next);
    } catch (reason) {
      tell.failed(reason);
    } finally {
      setLoading(false);
    }
  }, [threadId, beginning]);
  return { conversation, state, error, showEarlier: beginning.cursor === undefined ? undefined : showEarlier, isLoadingEarlier };
}

interface Beginning {
  /** Shown is what came after this event. */
  after: number;
  cursor: string | undefined;
}

/** A turn is shown from its message on. */
function beginningOf({ items, next_cursor }: Messages): Beginning {
  if (next_cursor === null) return { after: 0, cursor: undefined };
  const first = items.findLast(({ role }) => role === 'user') ?? items.at(-1);
  return { after: (first?.seq ?? 1) - 1, cursor: next_cursor };
}

async function eventsBetween(threadId: string, after: number, upTo: number): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = [];
  for (let at = after; at < upTo;) {
    const query = { after: at, limit: Math.min(PAGE, upTo - at) };
    const items = await itemsOf(await send('chatThreads', 'activity', { params: { thread_id: threadId }, query }));
    const last = items.at(-1);
    if (!last) break;
    events.push(...items);
    at = last.seq;
  }
  return events.filter(({ seq }) => seq <= upTo);
}

// Safe: the events of this stream are declared as ThreadEventOut.
function threadEvent({ data }: StreamEvent): ThreadEvent {
  return data as ThreadEvent;
}

// Safe: without Accept: text/event-stream the route answers ThreadEventsOut.
async function itemsOf(response: Response): Promise<ThreadEvent[]> {
  return ((await response.json()) as { items: ThreadEvent[] }).items;
}
