import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { text } from './search.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;

export const runsPages = [
  createRoute({
    ...account,
    path: '/inbox',
    validateSearch: (search): { wait?: string | undefined } => ({ wait: text(search, 'wait') }),
    component: lazyRouteComponent(() => import('./inbox/inbox.tsx'), 'Inbox'),
  }),
] as const;
