// What the home page shows, asked for while its script still comes.
import type { Input } from '../../api/client.ts';
import { read } from '../../api/query.ts';
import { begin } from '../../session/begin.ts';
import { openWaits } from '../../pauses/inbox/open-waits.ts';

export const SHOWN_JOBS = 8;
export const SHOWN_AGENTS = 12;
export const running = { query: { state: 'running' as const, limit: SHOWN_JOBS } };
export const failed = { query: { state: 'failed' as const, limit: 100 } };
/** One more than is shown: whether there are others. */
export const myAgents = { query: { limit: SHOWN_AGENTS + 1 } };

export const OVERVIEW_WINDOWS = ['24h', '7d', '30d'] as const;
export type OverviewWindow = (typeof OVERVIEW_WINDOWS)[number];
export const overviewOf = (window: OverviewWindow = '24h'): Input<'accountOverview', 'get'> => ({ query: { window } });

export const beginHome = (window?: OverviewWindow): Promise<void> =>
  begin(
    read('onboarding', 'get', {}),
    read('accountOverview', 'get', overviewOf(window)),
    read('inbox', 'waits', openWaits),
    read('workLedger', 'activity', running),
    read('myRuns', 'list', failed),
    read('agents', 'mine', myAgents),
  );
