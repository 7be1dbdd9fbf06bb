import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { oneIn, present } from '../kit/search.ts';

export interface EditSearch {
  edit?: 'new' | undefined;
}

const page = { getParentRoute: () => root, staticData: { needs: 'account' as const } };
const ofEdit = ({ edit }: Record<string, unknown>): EditSearch => present({ edit: oneIn(['new'] as const, edit) });

export const orgsPages = [
  createRoute({
    ...page,
    path: '/organizations',
    validateSearch: ofEdit,
    component: lazyRouteComponent(() => import('./organizations/organizations.tsx'), 'Organizations'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug',
    validateSearch: ofEdit,
    component: lazyRouteComponent(() => import('./organizations/members.tsx'), 'Members'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/domains',
    validateSearch: ofEdit,
    component: lazyRouteComponent(() => import('./organizations/domains.tsx'), 'Domains'),
  }),
  createRoute({ ...page, path: '/organizations/$slug/audit', component: lazyRouteComponent(() => import('./organizations/audit.tsx'), 'AuditLog') }),
  createRoute({
    ...page,
    path: '/organizations/$slug/scim',
    validateSearch: ofEdit,
    component: lazyRouteComponent(() => import('./organizations/scim.tsx'), 'Scim'),
  }),
  createRoute({ getParentRoute: () => root, path: '/invitation', component: lazyRouteComponent(() => import('./organizations/invitation.tsx'), 'Invitation') }),
import { recordSearch } from './compliance/search.ts';

const account = { staticData: { needs: 'account' }, getParentRoute: () => root } as const;
const at = '/organizations/$slug/compliance';

export const orgsPages = [
  createRoute({ ...account, path: at, component: lazyRouteComponent(() => import('./compliance/status.tsx'), 'Status') }),
  createRoute({
    ...account,
    path: `${at}/agents`,
    validateSearch: ({ rate }: Record<string, unknown>): { rate?: string | undefined } => present({ rate: typeof rate === 'string' ? rate : undefined }),
    component: lazyRouteComponent(() => import('./compliance/agents.tsx'), 'Agents'),
  }),
  createRoute({
    ...account,
    path: `${at}/records`,
    validateSearch: recordSearch,
    component: lazyRouteComponent(() => import('./compliance/records.tsx'), 'Records'),
  }),
  createRoute({
    ...account,
    path: `${at}/records/$kind/$id`,
    component: lazyRouteComponent(() => import('./compliance/record.tsx'), 'Decision'),
  }),
  createRoute({
    ...account,
    path: `${at}/exports`,
    validateSearch: ({ edit }: Record<string, unknown>): { edit?: 'new' | undefined } => present({ edit: oneIn(['new'] as const, edit) }),
    component: lazyRouteComponent(() => import('./compliance/exports.tsx'), 'Exports'),
  }),
  createRoute({ ...account, path: `${at}/policy`, component: lazyRouteComponent(() => import('./compliance/policy.tsx'), 'Policy') }),
] as const;
