import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { pagesOf, read } from '../api/query.ts';
import { ifSignedIn } from '../app/session.ts';
import { activityInput, activitySearch } from './activity/activity-search.ts';
import { prefetchRun } from './run/run-query.ts';
import { runSearch } from './run/run-search.ts';
import { numberIn, textIn, wordsIn } from '../kit/search.ts';
import { begin } from '../app/begin.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;

const archivedIn = ({ archived }: Record<string, unknown>): { archived?: true } => (archived === true ? { archived } : {});

const beginChat = ({ archived = false }: { archived?: boolean }): Promise<void> =>
  begin(read('llmCreds', 'list', {}), pagesOf('chatThreads', 'list', { query: { archived, limit: 50 } }));

export const runsPages = [
  createRoute({
    ...account,
    path: '/inbox',
    validateSearch: (search): { wait?: string | undefined } => ({ wait: textIn(search['wait']) }),
    component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
  }),
  createRoute({
    ...account,
    path: '/runs',
    validateSearch: activitySearch,
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => begin(pagesOf('workLedger', 'activity', activityInput(deps))),
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
  createRoute({
    ...account,
    path: '/calls',
    validateSearch: (search): { agent?: string | undefined } => ({ agent: textIn(search['agent'], 128) }),
    component: lazyRouteComponent(() => import('./calls/calls.tsx'), 'Calls'),
  }),
  createRoute({ ...account, path: '/calls/$grant_id', component: lazyRouteComponent(() => import('./calls/call.tsx'), 'CallPage') }),
  createRoute({
    ...account,
    path: '/sessions',
    validateSearch: (search): { agent?: string | undefined } => ({ agent: textIn(search['agent'], 128) }),
    component: lazyRouteComponent(() => import('./sessions/sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    ...account,
    path: '/sessions/$session_id',
    validateSearch: eventSearch,
    component: lazyRouteComponent(() => import('./sessions/session.tsx'), 'SessionPage'),
  }),
  createRoute({
    ...account,
    path: '/chat',
    validateSearch: archivedIn,
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => beginChat(deps),
    component: lazyRouteComponent(() => import('./chat/chat.tsx'), 'NewChat'),
  }),
  createRoute({
    ...account,
    path: '/chat/$thread_id',
    validateSearch: archivedIn,
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => beginChat(deps),
    component: lazyRouteComponent(() => import('./chat/chat.tsx'), 'Chat'),
  }),
  createRoute({
    ...account,
    path: '/plans',
    component: lazyRouteComponent(() => import('./plans/plans.tsx'), 'Plans'),
  }),
  createRoute({
    ...account,
    path: '/plans/$dag_run_id',
    component: lazyRouteComponent(() => import('./plans/plan.tsx'), 'Plan'),
  }),
  createRoute({
    ...account,
    path: '/schedules',
    // "new", or the one that is changed.
    validateSearch: ({ edit }: Record<string, unknown>): { edit?: string } => (typeof edit === 'string' ? { edit } : {}),
    component: lazyRouteComponent(() => import('./schedules/schedules.tsx'), 'Schedules'),
  }),
] as const;

function eventSearch(search: Record<string, unknown>): { kinds?: string[] | undefined; event?: number | undefined } {
  return { kinds: wordsIn(search['kinds']), event: numberIn(search['event']) };
}
