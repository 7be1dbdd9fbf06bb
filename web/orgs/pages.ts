import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { oneIn, present } from '../kit/search.ts';
import { isLocalPath } from '#contract/wire/local-path.ts';
import { recordSearch } from './compliance/search.ts';
import { pagesOf, read } from '../api/query.ts';
import { begin, type Reading } from '../session/begin.ts';

interface EditSearch {
  edit?: 'new' | undefined;
}

const page = { getParentRoute: () => root, staticData: { needs: 'account' as const } };
const compliance = '/organizations/$slug/compliance';
const ofEdit = ({ edit }: Record<string, unknown>): EditSearch => present({ edit: oneIn(['new'] as const, edit) });

/** With what the frame around each page of an organization reads. */
const beginOf = (slug: string, ...own: Reading[]): Promise<void> => begin(read('organizations', 'get', { params: { slug } }), ...own);

export const orgsPages = [
  createRoute({
    ...page,
    path: '/organizations',
    validateSearch: ofEdit,
    loader: () => begin(pagesOf('organizations', 'list', { query: { limit: 50 } }), read('organizations', 'invitations', {})),
    component: lazyRouteComponent(() => import('./organizations/organizations.tsx'), 'Organizations'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug',
    validateSearch: ofEdit,
    loader: ({ params: { slug } }) => beginOf(slug, pagesOf('organizations', 'members', { params: { slug }, query: { limit: 50 } })),
    component: lazyRouteComponent(() => import('./organizations/members.tsx'), 'Members'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/domains',
    validateSearch: ofEdit,
    loader: ({ params: { slug } }) => beginOf(slug, read('organizations', 'domains', { params: { slug } })),
    component: lazyRouteComponent(() => import('./organizations/domains.tsx'), 'Domains'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/approvals',
    validateSearch: ({ edit }: Record<string, unknown>): { edit?: 'rules' | 'delegate' | undefined } =>
      present({ edit: oneIn(['rules', 'delegate'] as const, edit) }),
    loader: ({ params: { slug } }) =>
      beginOf(slug, read('organizationApprovals', 'policy', { params: { slug } }), read('organizationApprovals', 'delegations', { params: { slug } })),
    component: lazyRouteComponent(() => import('./organizations/approvals.tsx'), 'Approvals'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/audit',
    loader: ({ params: { slug } }) => beginOf(slug, pagesOf('organizations', 'auditLog', { params: { slug }, query: { limit: 50 } })),
    component: lazyRouteComponent(() => import('./organizations/audit.tsx'), 'AuditLog'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/scim',
    validateSearch: ofEdit,
    loader: ({ params: { slug } }) =>
      beginOf(slug, read('organizations', 'scim', { params: { slug } }), pagesOf('organizations', 'scimTokens', { params: { slug }, query: { limit: 50 } })),
    component: lazyRouteComponent(() => import('./organizations/scim.tsx'), 'Scim'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/sso',
    validateSearch: ofEdit,
    loader: ({ params: { slug } }) => beginOf(slug, read('organizationSso', 'get', { params: { slug } })),
    component: lazyRouteComponent(() => import('./organizations/sso.tsx'), 'Sso'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/sign-in/organization',
    validateSearch: ({ to }: Record<string, unknown>): { to?: string | undefined } =>
      present({ to: typeof to === 'string' && isLocalPath(to) ? to : undefined }),
    component: lazyRouteComponent(() => import('./organizations/by-organization.tsx'), 'ByOrganization'),
  }),
  createRoute({
    ...page,
    path: '/organizations/$slug/provisioned',
    loader: ({ params: { slug } }) =>
      beginOf(
        slug,
        pagesOf('organizationScim', 'users', { params: { slug }, query: { limit: 50 } }),
        pagesOf('organizationScim', 'groups', { params: { slug }, query: { limit: 50 } }),
        read('organizationScim', 'roles', { params: { slug } }),
      ),
    component: lazyRouteComponent(() => import('./scim/provisioned.tsx'), 'Provisioned'),
  }),
  createRoute({ getParentRoute: () => root, path: '/invitation', component: lazyRouteComponent(() => import('./organizations/invitation.tsx'), 'Invitation') }),
  createRoute({ ...page, path: compliance, component: lazyRouteComponent(() => import('./compliance/status.tsx'), 'Status') }),
  createRoute({
    ...page,
    path: `${compliance}/agents`,
    validateSearch: ({ rate }: Record<string, unknown>): { rate?: string | undefined } => present({ rate: typeof rate === 'string' ? rate : undefined }),
    component: lazyRouteComponent(() => import('./compliance/agents.tsx'), 'Agents'),
  }),
  createRoute({
    ...page,
    path: `${compliance}/records`,
    validateSearch: recordSearch,
    component: lazyRouteComponent(() => import('./compliance/records.tsx'), 'Records'),
  }),
  createRoute({
    ...page,
    path: `${compliance}/records/$kind/$id`,
    component: lazyRouteComponent(() => import('./compliance/record.tsx'), 'Decision'),
  }),
  createRoute({
    ...page,
    path: `${compliance}/exports`,
    validateSearch: ({ edit }: Record<string, unknown>): { edit?: 'new' | undefined } => present({ edit: oneIn(['new'] as const, edit) }),
    component: lazyRouteComponent(() => import('./compliance/exports.tsx'), 'Exports'),
  }),
  createRoute({ ...page, path: `${compliance}/policy`, component: lazyRouteComponent(() => import('./compliance/policy.tsx'), 'Policy') }),
] as const;
