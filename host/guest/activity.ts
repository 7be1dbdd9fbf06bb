// Tells the host what is worked on for longer than a moment, so that it never puts the machine to sleep under
// it; and that what is open only waits, so that it may. Short requests cost one line a second at most.
import type { Server } from 'node:http';
import type { Events } from './events.ts';

export interface Activity {
  /** Runs and requests that need this machine awake. */
  working: number;
  /** Requests and runs that have not ended, those that wait for a person too. */
  open: number;
  /** Runs that wait for a person; absent in bundles of an earlier SDK. */
  waiting?: number;
}

export function watchActivity(server: Server, events: Events, activity: (() => Activity) | undefined, everyMs = 1_000): () => Activity {
  const now = activity ?? requestsOf(server);
  let timer: NodeJS.Timeout | undefined;
  let sent = { working: 0, waiting: 0 };
  const look = (): void => {
    timer = undefined;
    const { working, open, waiting = 0 } = now();
    // A request that only waits is no reason to stay awake, nor one whose caller left: the host sees it
    // unanswered and needs this each time.
    if (working !== sent.working || waiting !== sent.waiting || working === 0) events.keep({ t: 'busy', n: working, w: waiting });
    sent = { working, waiting };
    // A skill whose caller left may continue for a while, though its run is over.
    if (open > 0 || working > 0) watch();
  };
  const watch = (): void => void (timer ??= setTimeout(look, everyMs).unref());
  server.on('request', watch);
  return now;
}

/** For bundles of an SDK that does not say: every open request is work. */
function requestsOf(server: Server): () => Activity {
  let open = 0;
  server.on('request', (_request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
  });
  return () => ({ working: open, open });
}
