// What an owner does with an agent. Every page of one agent is a tab below its name.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../session/root.ts';
import { evidenceReads } from '../../evidence/agent/reads.ts';
import { insightsReads } from '../../evidence/insights/reads.ts';
import { readEvidenceSearch, readInsightsSearch } from '../../evidence/search.ts';
import { flagIn, oneIn, present, textIn } from '../../kit/search.ts';
import { LEVELS } from '../../deploys/deployments/level.ts';
import { WAYS } from './ways.ts';
import { pagesOf, read } from '../../api/query.ts';
import { begin } from '../../session/begin.ts';

const VIEWS = ['changes', 'card'] as const;
const RECEIPTS = ['receipts'] as const;
const EVALUATION = ['rules', 'datasets', 'evaluations'] as const;
const REHEARSALS = ['readiness', 'registry'] as const;
const NEW = ['new'] as const;
const ANSWERED = ['answered'] as const;
const staticData = { needs: 'account' } as const;

const mine = createRoute({
  getParentRoute: () => root,
  path: '/agents/mine',
  staticData,
  validateSearch: (search: Record<string, unknown>) => present({ q: textIn(search.q), make: oneIn(WAYS, search.make) }),
  component: lazyRouteComponent(() => import('./mine.tsx'), 'Mine'),
});

const owner = createRoute({
  getParentRoute: () => root,
  path: '/agents/mine/$name',
  staticData,
  loader: ({ params: { name } }) => begin(read('agents', 'mineOne', { params: { name } })),
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
});
const under = { getParentRoute: () => owner, staticData } as const;

const tabs = [
  createRoute({ ...under, path: '/', component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview') }),
  createRoute({
    ...under,
    path: '/deployments',
    loader: ({ params: { name } }) => begin(read('agents', 'deployments', { params: { name }, query: { limit: 200 } })),
    component: lazyRouteComponent(() => import('../../deploys/deployments/list.tsx'), 'Deployments'),
  }),
  createRoute({
    ...under,
    path: '/deployments/$deployId',
    validateSearch: (search: Record<string, unknown>) =>
      present({
        view: oneIn(VIEWS, search.view),
        q: textIn(search.q),
        level: oneIn(LEVELS, search.level),
        against: textIn(search.against),
        file: textIn(search.file),
      }),
    loader: ({ params: { name, deployId: deploy_id } }) =>
      begin(read('agents', 'deployment', { params: { name, deploy_id } }), read('agents', 'deployments', { params: { name }, query: { limit: 200 } })),
    component: lazyRouteComponent(() => import('../../deploys/deployments/one.tsx'), 'Deployment'),
  }),
  createRoute({
    ...under,
    path: '/source',
    validateSearch: (search: Record<string, unknown>) => present({ file: textIn(search.file) }),
    component: lazyRouteComponent(() => import('../../deploys/source/source.tsx'), 'Source'),
  }),
  createRoute({
    ...under,
    path: '/calls',
    validateSearch: (search: Record<string, unknown>) => present({ show: oneIn(RECEIPTS, search.show) }),
    loaderDeps: ({ search }) => search,
    loader: ({ params: { name }, deps: { show } }) =>
      begin(
        show === 'receipts'
          ? pagesOf('agentReceipts', 'list', { params: { name }, query: { limit: 50 } })
          : pagesOf('agentSessions', 'list', { params: { name }, query: { limit: 50 } }),
      ),
    component: lazyRouteComponent(() => import('./calls.tsx'), 'Calls'),
  }),
  createRoute({
    ...under,
    path: '/memory',
    validateSearch: (search: Record<string, unknown>) => present({ q: textIn(search.q), namespace: textIn(search.namespace) }),
    component: lazyRouteComponent(() => import('../agent-memory/shared.tsx'), 'SharedMemory'),
  }),
  createRoute({
    ...under,
    path: '/evaluation',
    validateSearch: (search: Record<string, unknown>) =>
      present({
        show: oneIn(EVALUATION, search.show),
        dataset: textIn(search.dataset),
        evaluation: textIn(search.evaluation),
      }),
    component: lazyRouteComponent(() => import('../../quality/evaluations/evaluation.tsx'), 'Evaluation'),
  }),
  createRoute({
    ...under,
    path: '/evidence',
    validateSearch: readEvidenceSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ params, deps }) => begin(...evidenceReads(params.name, deps)),
    component: lazyRouteComponent(() => import('../../evidence/agent/evidence.tsx'), 'MineEvidence'),
  }),
  createRoute({
    ...under,
    path: '/insights',
    validateSearch: readInsightsSearch,
    loaderDeps: ({ search }) => search,
    loader: ({ params, deps }) => begin(...insightsReads(params.name, deps)),
    component: lazyRouteComponent(() => import('../../evidence/insights/insights.tsx'), 'Insights'),
  }),
  createRoute({
    ...under,
    path: '/prices',
    validateSearch: (search: Record<string, unknown>) => present({ set: flagIn(search.set) }),
    loader: ({ params: { name } }) =>
      begin(read('agents', 'get', { params: { name } }), pagesOf('prices', 'list', { params: { name }, query: { limit: 50, history: true } })),
    component: lazyRouteComponent(() => import('../../money/prices/prices.tsx'), 'Prices'),
  }),
  createRoute({
    ...under,
    path: '/secrets',
    validateSearch: (search: Record<string, unknown>) => present({ add: flagIn(search.add) }),
    loader: ({ params: { name } }) => begin(read('agentSecrets', 'list', { params: { name } })),
    component: lazyRouteComponent(() => import('../agent-secrets/secrets.tsx'), 'Secrets'),
  }),
  createRoute({
    ...under,
    path: '/access',
    validateSearch: (search: Record<string, unknown>) => present({ add: flagIn(search.add) }),
    loader: ({ params: { name } }) =>
      begin(
        read('findings', 'list', { params: { name }, query: { limit: 1 } }),
        read('agents', 'apiTokens', { params: { name } }),
        read('agents', 'integrationLinks', { params: { name } }),
        read('callerScopes', 'list', { params: { name } }),
        read('allowedOrigins', 'get', { params: { name } }),
      ),
    component: lazyRouteComponent(() => import('./access.tsx'), 'Access'),
  }),
  createRoute({
    ...under,
    path: '/domains',
    loader: ({ params: { name } }) => begin(read('agents', 'domains', { params: { name } })),
    component: lazyRouteComponent(() => import('../domains/domains.tsx'), 'Domains'),
  }),
  createRoute({ ...under, path: '/mailbox', component: lazyRouteComponent(() => import('../agent-mailboxes/mailbox.tsx'), 'Mailbox') }),
  createRoute({
    ...under,
    path: '/reviews',
    validateSearch: (search: Record<string, unknown>) => present({ review: textIn(search.review) }),
    loader: ({ params: { name } }) => begin(read('agents', 'reviewRuns', { params: { name }, query: { limit: 100 } })),
    component: lazyRouteComponent(() => import('./reviews.tsx'), 'Reviews'),
  }),
  createRoute({
    ...under,
    path: '/rehearsals',
    validateSearch: (search: Record<string, unknown>) => present({ show: oneIn(REHEARSALS, search.show), rehearsal: textIn(search.rehearsal) }),
    component: lazyRouteComponent(() => import('../../studio/rehearsals/rehearsals.tsx'), 'Rehearsals'),
  }),
  createRoute({
    ...under,
    path: '/challenges',
    validateSearch: (search: Record<string, unknown>) => present({ make: oneIn(NEW, search.make), show: oneIn(ANSWERED, search.show) }),
    loaderDeps: ({ search }) => search,
    loader: ({ params: { name }, deps: { show } }) =>
      begin(
        pagesOf('adversarialReviewLoops', 'list', { params: { name }, query: { limit: 20 } }),
        pagesOf('findings', 'list', { params: { name }, query: { limit: 50, state: show === 'answered' ? ('all' as const) : ('open' as const) } }),
        read('findings', 'list', { params: { name }, query: { limit: 1 } }),
      ),
    component: lazyRouteComponent(() => import('../../studio/challenges/challenges.tsx'), 'Challenges'),
  }),
  createRoute({
    ...under,
    path: '/challenges/$jobId',
    loader: ({ params: { name, jobId: job_id } }) =>
      begin(read('adversarialReviewLoops', 'get', { params: { name, job_id } }), read('findings', 'list', { params: { name }, query: { limit: 1 } })),
    component: lazyRouteComponent(() => import('../../studio/challenges/challenge.tsx'), 'Challenge'),
  }),
  createRoute({
    ...under,
    path: '/upkeep',
    loader: ({ params: { name } }) => begin(read('agents', 'selfHealing', { params: { name }, query: { limit: 100 } })),
    component: lazyRouteComponent(() => import('./upkeep.tsx'), 'Upkeep'),
  }),
  createRoute({ ...under, path: '/dev-box', component: lazyRouteComponent(() => import('./dev-box.tsx'), 'DevBox') }),
  createRoute({
    ...under,
    path: '/auth',
    loader: ({ params: { name } }) => begin(read('agentAuth', 'status', { params: { name } })),
    component: lazyRouteComponent(() => import('../../imports/agent-auth/auth.tsx'), 'Auth'),
  }),
] as const;

export const minePages = [mine, owner.addChildren(tabs)] as const;
