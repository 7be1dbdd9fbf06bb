import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textIn } from '../kit/search.ts';
import { root } from '../session/root.ts';

export const pausesPages = [
  createRoute({
    getParentRoute: () => root,
    staticData: { needs: 'account' },
    path: '/inbox',
    validateSearch: (search): { wait?: string | undefined } => ({ wait: textIn(search['wait']) }),
    component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
  }),
] as const;
