import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { beginHome } from './home/queries.ts';

export const identityPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/',
    loader: beginHome,
    component: lazyRouteComponent(() => import('./home/home.tsx'), 'Home'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/settings',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'Settings'),
  }),
] as const;
