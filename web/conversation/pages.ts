import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';
import { present, textIn } from '../kit/search.ts';
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
    // `edit`: "new", or the one that is changed; `agent`: whose skill a new one calls.
    validateSearch: ({ edit, agent }: Record<string, unknown>): { edit?: string; agent?: string } => present({ edit: textIn(edit), agent: textIn(agent) }),
    component: lazyRouteComponent(() => import('./schedules/schedules.tsx'), 'Schedules'),
  }),
] as const;
