import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';
import { root } from '../session/root.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;

const archivedIn = ({ archived }: Record<string, unknown>): { archived?: true } => (archived === true ? { archived } : {});

const beginChat = ({ archived = false }: { archived?: boolean }): Promise<void> =>
  begin(read('llmCreds', 'list', {}), pagesOf('chatThreads', 'list', { query: { archived, limit: 50 } }));

export const conversationPages = [
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
