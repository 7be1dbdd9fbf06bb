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
] as const;
