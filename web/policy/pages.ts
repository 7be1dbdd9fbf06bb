import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { decisionSearch } from './rules/decision-search.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;

export const policyPages = [
  createRoute({ ...account, path: '/policy', component: lazyRouteComponent(() => import('./rules/rules.tsx'), 'Rules') }),
  createRoute({
    ...account,
    path: '/policy/decisions',
    validateSearch: decisionSearch,
    component: lazyRouteComponent(() => import('./rules/decisions.tsx'), 'Decisions'),
  }),
];
