import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { pagesOf } from '../api/query.ts';
import { ifSignedIn } from '../session/session.ts';
import { activityInput, type ActivitySearch, activitySearch } from './activity/activity-search.ts';
import { prefetchRun } from './run/run-query.ts';
import { runSearch } from './run/run-search.ts';
import { numberIn, textIn, wordsIn } from '../kit/search.ts';
import { begin } from '../session/begin.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;

export const runsPages = [
  createRoute({
    ...account,
    path: '/runs',
    validateSearch: activitySearch,
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => begin(pagesOf('myRuns', 'list', activityInput(deps))),
    component: lazyRouteComponent(() => import('./activity/activity.tsx'), 'Activity'),
  }),
  createRoute({
    ...account,
    path: '/runs/$run_id',
    validateSearch: runSearch,
    loaderDeps: ({ search: { tab = 'timeline' } }) => ({ tab }),
    loader: ({ params, deps }) => ifSignedIn(() => [prefetchRun(params.run_id, deps.tab)]),
    component: lazyRouteComponent(() => import('./run/run.tsx'), 'RunPage'),
  }),
  createRoute({
    ...account,
    path: '/jobs/$job_id',
    validateSearch: eventSearch,
    component: lazyRouteComponent(() => import('./job/job.tsx'), 'JobPage'),
  }),
  createRoute({ ...account, path: '/calls', beforeLoad: ({ search }) => toList({ caller: 'agent', agent: agentIn(search) }) }),
  createRoute({ ...account, path: '/calls/$grant_id', component: lazyRouteComponent(() => import('./calls/call.tsx'), 'CallPage') }),
  createRoute({ ...account, path: '/sessions', beforeLoad: ({ search }) => toList({ agent: agentIn(search) }) }),
  createRoute({ ...account, path: '/plans', beforeLoad: () => toList({ kind: 'dag' }) }),
  createRoute({
    ...account,
    path: '/sessions/$session_id',
    validateSearch: eventSearch,
    component: lazyRouteComponent(() => import('./sessions/session.tsx'), 'SessionPage'),
  }),
] as const;

/** Lists that were pages of their own. */
function toList(search: ActivitySearch): never {
  throw redirect({ to: '/runs', search, replace: true });
}

const agentIn = (search: { agent?: unknown }): string | undefined => textIn(search.agent, 128);

function eventSearch(search: Record<string, unknown>): { kinds?: string[] | undefined; event?: number | undefined } {
  return { kinds: wordsIn(search['kinds']), event: numberIn(search['event']) };
}
