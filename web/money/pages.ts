import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { oneIn, present } from '../kit/search.ts';
import { dayIn, GROUPINGS, type Grouping } from './usage/period.ts';

export interface BountiesSearch {
  show?: 'mine' | undefined;
  tag?: string | undefined;
  edit?: 'new' | undefined;
}

export interface ChargesSearch {
  agent?: string | undefined;
}

export interface UsageSearch {
  /** Days, both included: 2026-11-01. */
  from?: string;
  to?: string;
  by?: Grouping;
}

const page = { getParentRoute: () => root, staticData: { needs: 'account' as const } };

const ofBounties = ({ show, tag, edit }: Record<string, unknown>): BountiesSearch =>
  present({ show: oneIn(['mine'] as const, show), tag: typeof tag === 'string' ? tag : undefined, edit: oneIn(['new'] as const, edit) });

export const moneyPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/bounties',
    validateSearch: ofBounties,
    component: lazyRouteComponent(() => import('./bounties/bounties.tsx'), 'Bounties'),
  }),
  createRoute({ getParentRoute: () => root, path: '/bounties/$slug', component: lazyRouteComponent(() => import('./bounties/bounty.tsx'), 'Bounty') }),
  createRoute({
    ...page,
    path: '/charges',
    validateSearch: ({ agent }: Record<string, unknown>): ChargesSearch => present({ agent: typeof agent === 'string' ? agent : undefined }),
    component: lazyRouteComponent(() => import('./charges/charges.tsx'), 'Charges'),
  }),
  createRoute({ ...page, path: '/payouts', component: lazyRouteComponent(() => import('./payouts/earnings.tsx'), 'Earnings') }),
  createRoute({ ...page, path: '/payouts/runs', component: lazyRouteComponent(() => import('./payouts/runs.tsx'), 'PayoutRuns') }),
  createRoute({ ...page, path: '/payouts/runs/$run_id', component: lazyRouteComponent(() => import('./payouts/statement.tsx'), 'Statement') }),
  createRoute({ ...page, path: '/models', component: lazyRouteComponent(() => import('./models/models.tsx'), 'Models') }),
  createRoute({ ...page, path: '/models/catalog', component: lazyRouteComponent(() => import('./models/catalog.tsx'), 'Catalog') }),
  createRoute({
    ...page,
    path: '/models/usage',
    validateSearch: ({ from, to, by }: Record<string, unknown>): UsageSearch => present({ from: dayIn(from), to: dayIn(to), by: oneIn(GROUPINGS, by) }),
    component: lazyRouteComponent(() => import('./usage/usage.tsx'), 'Usage'),
  }),
] as const;
