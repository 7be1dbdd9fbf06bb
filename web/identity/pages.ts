import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { oneIn, present } from '../kit/search.ts';
import { beginHome, OVERVIEW_WINDOWS } from './home/queries.ts';
import { read } from '../api/query.ts';
import { begin } from '../session/begin.ts';

export const identityPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    validateSearch: ({ window }: Record<string, unknown>) => present({ window: oneIn(OVERVIEW_WINDOWS, window) }),
    loaderDeps: ({ search }) => search,
    loader: ({ deps: { window } }) => beginHome(window),
    component: lazyRouteComponent(() => import('./home/home.tsx'), 'Home'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/signed-in',
    component: lazyRouteComponent(() => import('../session/signed-in.tsx'), 'SignedInAgain'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    staticData: { needs: 'account' },
    loader: () =>
      begin(
        read('inbox', 'notifications', {}),
        read('serviceAccess', 'get', {}),
        read('evaluations', 'consents', {}),
        read('featureFlags', 'list', {}),
        read('installation', 'get', {}),
      ),
    component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
  }),
] as const;
