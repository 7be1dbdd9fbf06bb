// What the home page shows, asked for while its script still comes.
import { queries, read } from '../../api/query.ts';
import { ifSignedIn } from '../../app/session.ts';
import { openWaits } from '../../runs/inbox/open-waits.ts';

export const SHOWN_JOBS = 8;
export const SHOWN_AGENTS = 12;
export const running = { query: { state: 'running' as const, limit: SHOWN_JOBS } };
export const failed = { query: { state: 'failed' as const, limit: 100 } };
/** One more than is shown: whether there are others. */
export const myAgents = { query: { limit: SHOWN_AGENTS + 1 } };

export const beginHome = (): Promise<void> =>
  ifSignedIn(() => [
    queries.prefetchQuery(read('onboarding', 'get', {})),
    queries.prefetchQuery(read('inbox', 'waits', openWaits)),
    queries.prefetchQuery(read('workLedger', 'activity', running)),
    queries.prefetchQuery(read('workLedger', 'activity', failed)),
    queries.prefetchQuery(read('agents', 'mine', myAgents)),
  ]);
