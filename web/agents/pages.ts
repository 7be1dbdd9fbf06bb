import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { readRegistrySearch, readTrySearch } from './registry/search.ts';
import { evidenceReads } from '../evidence/agent/reads.ts';
import { readEvidenceSearch } from '../evidence/search.ts';
import { keysQuery } from '../evidence/receipts/loaded.ts';
import { oneIn, present } from '../kit/search.ts';
import { minePages } from './owner/pages.ts';
import { pagesOf, queries, read } from '../api/query.ts';
import { sessionQuery } from '../session/session.ts';
import { agentQuery } from './registry/agent-data.ts';
import { begin, beginForAll } from '../session/begin.ts';

const agent = createRoute({
  loader: async ({ params: { name } }) => beginForAll(agentQuery(name, await queries().ensureQueryData(sessionQuery))),
  getParentRoute: () => root,
  path: '/agents/$name',
  component: lazyRouteComponent(() => import('./registry/agent.tsx'), 'Agent'),
});
const tab = { getParentRoute: () => agent };
const account = { staticData: { needs: 'account' } } as const;

// Not written where they are added: there their types would be lost.
const tabs = [
  createRoute({
    ...tab,
    path: '/',
    loader: ({ params: { name } }) => begin(read('agents', 'uptime', { params: { name } })),
    component: lazyRouteComponent(() => import('./registry/overview.tsx'), 'Overview'),
  }),
  createRoute({
    ...tab,
    path: '/skills/$skill',
    validateSearch: readTrySearch,
    component: lazyRouteComponent(() => import('./registry/try.tsx'), 'Try'),
  }),
  createRoute({ ...tab, path: '/use', validateSearch: readTrySearch, component: lazyRouteComponent(() => import('./registry/use.tsx'), 'Use') }),
  createRoute({
    ...tab,
    ...account,
    path: '/setup',
    loader: ({ params: { name } }) => begin(read('consumerSetup', 'get', { params: { name } })),
    component: lazyRouteComponent(() => import('./consumer-setup/setup.tsx'), 'Setup'),
  }),
  createRoute({
    ...tab,
    ...account,
    path: '/evidence',
    validateSearch: readEvidenceSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ params, deps }) => begin(...evidenceReads(params.name, deps)),
    component: lazyRouteComponent(() => import('../evidence/agent/evidence.tsx'), 'AgentEvidence'),
  }),
  createRoute({
    ...tab,
    path: '/proofs',
    loader: ({ params: { name } }) => beginForAll(read('public', 'latestProof', { params: { name } }), pagesOf('public', 'proofs', { query: { agent: name } })),
    component: lazyRouteComponent(() => import('../quality/proofs/agent-proofs.tsx'), 'AgentProofs'),
  }),
  createRoute({
    ...tab,
    path: '/proofs/$proof_id',
    loader: ({ params: { name, proof_id } }) => beginForAll(read('public', 'proof', { params: { name, proof_id } }), keysQuery),
    component: lazyRouteComponent(() => import('../quality/proofs/public-proof.tsx'), 'PublicProof'),
  }),
  createRoute({
    ...tab,
    ...account,
    path: '/receipts',
    loader: ({ params: { name } }) => begin(pagesOf('agentReceipts', 'list', { params: { name } })),
    component: lazyRouteComponent(() => import('./registry/receipts.tsx'), 'Receipts'),
  }),
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
    component: lazyRouteComponent(() => import('./registry/registry.tsx'), 'Registry'),
  }),
  agent.addChildren(tabs),
] as const;

interface DatabasesSearch {
  edit?: 'new' | undefined;
}

const databases = [
  createRoute({
    getParentRoute: () => root,
    ...account,
    path: '/databases',
    validateSearch: ({ edit }: Record<string, unknown>): DatabasesSearch => present({ edit: oneIn(['new'] as const, edit) }),
    loader: () =>
      begin(
        pagesOf('databases', 'list', { query: { limit: 50 } }),
        read('databases', 'list', { query: { limit: 1 } }),
        read('databases', 'provisionerStatus', {}),
      ),
    component: lazyRouteComponent(() => import('./databases/databases.tsx'), 'Databases'),
  }),
  createRoute({
    getParentRoute: () => root,
    ...account,
    path: '/databases/$project_id',
    loader: ({ params: { project_id } }) =>
      begin(read('databases', 'get', { params: { project_id } }), pagesOf('databases', 'events', { params: { project_id }, query: { limit: 20 } })),
    component: lazyRouteComponent(() => import('./databases/database.tsx'), 'Database'),
  }),
] as const;

export const agentsPages = [...registry, ...minePages, ...databases] as const;
