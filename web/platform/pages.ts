import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { present, textIn } from '../kit/search.ts';
import { dayIn } from '../money/usage/period.ts';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';

const page = { getParentRoute: () => root, staticData: { needs: 'operator' as const } };

export const platformPages = [
  createRoute({
    ...page,
    path: '/operator',
    loader: () => begin(read('machinery', 'get', {}), read('installation', 'get', {})),
    component: lazyRouteComponent(() => import('./installation/health.tsx'), 'Health'),
  }),
  createRoute({
    ...page,
    path: '/operator/workers',
    loader: () => begin(read('workerBuilds', 'list', {})),
    component: lazyRouteComponent(() => import('./installation/workers.tsx'), 'WorkerBuilds'),
  }),
  createRoute({
    ...page,
    path: '/operator/users',
    validateSearch: ({ q }: Record<string, unknown>): { q?: string } => present({ q: textIn(q) }),
    component: lazyRouteComponent(() => import('./users/users.tsx'), 'Users'),
  }),
  createRoute({
    ...page,
    path: '/operator/users/$user_id',
    loader: ({ params: { user_id } }) =>
      begin(
        read('admin', 'listUsers', { query: { id_prefix: user_id, limit: 1 } }),
        read('admin', 'controlPolicy', { params: { user_id } }),
        read('admin', 'billingOverride', { params: { user_id } }),
        read('admin', 'listFeatureFlags', {}),
        read('admin', 'userFeatureFlags', { params: { user_id } }),
      ),
    component: lazyRouteComponent(() => import('./users/user.tsx'), 'User'),
  }),
  createRoute({ ...page, path: '/operator/flags', component: lazyRouteComponent(() => import('./installation/flags.tsx'), 'FeatureFlags') }),
  createRoute({ ...page, path: '/operator/settings', component: lazyRouteComponent(() => import('./installation/settings.tsx'), 'InstallationSettings') }),
  createRoute({
    ...page,
    path: '/operator/billing',
    validateSearch: ({ from, to }: Record<string, unknown>): { from?: string; to?: string } => present({ from: dayIn(from), to: dayIn(to) }),
    component: lazyRouteComponent(() => import('./installation/billing.tsx'), 'Billing'),
  }),
  createRoute({
    ...page,
    path: '/operator/payouts',
    loader: () => begin(read('payoutsAdmin', 'metrics', {}), pagesOf('payoutsAdmin', 'owed', { query: { limit: 50 } })),
    component: lazyRouteComponent(() => import('./installation/payouts.tsx'), 'OperatorPayouts'),
  }),
  createRoute({ ...page, path: '/operator/mail', component: lazyRouteComponent(() => import('./installation/mail.tsx'), 'Mail') }),
] as const;
