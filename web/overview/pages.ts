import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';
import { root } from '../session/root.ts';

export const overviewPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/control-room',
    staticData: { needs: 'account' as const },
    loader: () => begin(read('controlRoom', 'get', { query: {} }), pagesOf('policy', 'denials', { query: { limit: 20 } })),
    component: lazyRouteComponent(() => import('./control-room/control-room.tsx'), 'ControlRoom'),
  }),
] as const;
