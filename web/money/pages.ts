import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { oneIn, present } from '../kit/search.ts';
import { dayIn, GROUPINGS, type Grouping } from './usage/period.ts';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';
import { usageReads } from './usage/reads.ts';

interface BountiesSearch {
  show?: 'mine' | undefined;
  tag?: string | undefined;
  edit?: 'new' | undefined;
}

export interface ChargesSearch {
  agent?: string | undefined;
}

export interface CreditsSearch {
  /** Where the payment processor sends the browser back to. */
  top_up?: string | undefined;
  show?: 'top-ups' | undefined;
}
export interface AccountSearch {
  return?: string | undefined;
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
  createRoute({
    ...page,
    path: '/payouts',
    loader: () => begin(read('payouts', 'earnings', {}), read('payouts', 'account', {})),
    component: lazyRouteComponent(() => import('./payouts/earnings.tsx'), 'Earnings'),
  }),
  createRoute({ ...page, path: '/payouts/runs', component: lazyRouteComponent(() => import('./payouts/runs.tsx'), 'PayoutRuns') }),
  createRoute({ ...page, path: '/payouts/runs/$run_id', component: lazyRouteComponent(() => import('./payouts/statement.tsx'), 'Statement') }),
  createRoute({
    ...page,
    path: '/credits',
    validateSearch: ({ top_up, show }: Record<string, unknown>): CreditsSearch =>
      present({ top_up: typeof top_up === 'string' ? top_up : undefined, show: oneIn(['top-ups'] as const, show) }),
    loaderDeps: ({ search }) => search,
    loader: ({ deps: { show } }) =>
      begin(
        read('credits', 'wallet', { query: { limit: 1 } }),
        show === 'top-ups' ? pagesOf('credits', 'topUps', { query: { limit: 50 } }) : pagesOf('credits', 'wallet', { query: { limit: 50 } }),
      ),
    component: lazyRouteComponent(() => import('./credits/credits.tsx'), 'Credits'),
  }),
  createRoute({
    ...page,
    path: '/billing',
    loader: () => begin(read('billing', 'get', {}), pagesOf('billing', 'invoices', { query: { limit: 50 } })),
    component: lazyRouteComponent(() => import('./billing/billing.tsx'), 'Billing'),
  }),
  createRoute({ ...page, path: '/test-money/checkout/$id', component: lazyRouteComponent(() => import('./test-money/checkout.tsx'), 'TestCheckout') }),
  createRoute({ ...page, path: '/test-money/portal/$id', component: lazyRouteComponent(() => import('./test-money/portal.tsx'), 'TestPortal') }),
  createRoute({
    ...page,
    path: '/test-money/account/$id',
    validateSearch: (search: Record<string, unknown>): AccountSearch =>
      present({ return: typeof search['return'] === 'string' ? search['return'] : undefined }),
    component: lazyRouteComponent(() => import('./test-money/account.tsx'), 'TestAccount'),
  }),
  createRoute({ ...page, path: '/models', component: lazyRouteComponent(() => import('./models/models.tsx'), 'Models') }),
  createRoute({ ...page, path: '/models/catalog', component: lazyRouteComponent(() => import('./models/catalog.tsx'), 'Catalog') }),
  createRoute({
    ...page,
    path: '/models/usage',
    validateSearch: ({ from, to, by }: Record<string, unknown>): UsageSearch => present({ from: dayIn(from), to: dayIn(to), by: oneIn(GROUPINGS, by) }),
    loaderDeps: ({ search }) => search,
    loader: ({ deps }) => begin(...usageReads(deps)),
    component: lazyRouteComponent(() => import('./usage/usage.tsx'), 'Usage'),
  }),
] as const;
