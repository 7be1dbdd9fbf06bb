import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../app/root.tsx';
import { readRegistrySearch, readTrySearch } from './agents/search.ts';
import { readEvidenceSearch } from '../evidence/search.ts';
import { oneIn, present } from '../kit/search.ts';
import { minePages } from './mine/pages.ts';

const agent = createRoute({ getParentRoute: () => root, path: '/agents/$name', component: lazyRouteComponent(() => import('./agents/agent.tsx'), 'Agent') });
const tab = { getParentRoute: () => agent };
const account = { staticData: { needs: 'account' } } as const;

// Not written where they are added: there their types would be lost.
const tabs = [
  createRoute({ ...tab, path: '/', component: lazyRouteComponent(() => import('./agents/overview.tsx'), 'Overview') }),
  createRoute({
    ...tab,
    path: '/skills/$skill',
    validateSearch: readTrySearch,
    component: lazyRouteComponent(() => import('./agents/try.tsx'), 'Try'),
  }),
  createRoute({ ...tab, path: '/use', validateSearch: readTrySearch, component: lazyRouteComponent(() => import('./agents/use.tsx'), 'Use') }),
  createRoute({ ...tab, ...account, path: '/setup', component: lazyRouteComponent(() => import('./consumer-setup/setup.tsx'), 'Setup') }),
  createRoute({
    ...tab,
    ...account,
    path: '/evidence',
    validateSearch: readEvidenceSearch,
    component: lazyRouteComponent(() => import('../evidence/agent/evidence.tsx'), 'AgentEvidence'),
  }),
  createRoute({ ...tab, path: '/proofs', component: lazyRouteComponent(() => import('../evidence/proofs/agent-proofs.tsx'), 'AgentProofs') }),
  createRoute({ ...tab, path: '/proofs/$proof_id', component: lazyRouteComponent(() => import('../evidence/proofs/public-proof.tsx'), 'PublicProof') }),
  createRoute({ ...tab, ...account, path: '/receipts', component: lazyRouteComponent(() => import('./agents/receipts.tsx'), 'Receipts') }),
  createRoute({
    ...tab,
    ...account,
    path: '/memory',
    validateSearch: readTrySearch,
    component: lazyRouteComponent(() => import('./agent-memory/memory.tsx'), 'Memory'),
  }),
] as const;

const registry = [
  createRoute({
    getParentRoute: () => root,
    path: '/agents',
    validateSearch: readRegistrySearch,
    component: lazyRouteComponent(() => import('./agents/registry.tsx'), 'Registry'),
  }),
  agent.addChildren(tabs),
] as const;

export interface DatabasesSearch {
  edit?: 'new' | undefined;
}

const databases = [
  createRoute({
    getParentRoute: () => root,
    ...account,
    path: '/databases',
    validateSearch: ({ edit }: Record<string, unknown>): DatabasesSearch => present({ edit: oneIn(['new'] as const, edit) }),
    component: lazyRouteComponent(() => import('./databases/databases.tsx'), 'Databases'),
  }),
  createRoute({
    getParentRoute: () => root,
    ...account,
    path: '/databases/$project_id',
    component: lazyRouteComponent(() => import('./databases/database.tsx'), 'Database'),
  }),
] as const;

export const agentsPages = [...registry, ...minePages, ...databases] as const;
