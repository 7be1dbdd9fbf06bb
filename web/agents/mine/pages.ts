// What an owner does with an agent. Every page of one agent is a tab below its name.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../app/root.tsx';
import { readEvidenceSearch, readInsightsSearch } from '../../evidence/search.ts';
import { oneIn, present, textIn } from '../../kit/search.ts';
import { LEVELS } from '../deployments/level.ts';
import { WAYS } from './ways.ts';

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
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
});
const under = { getParentRoute: () => owner, staticData } as const;

const tabs = [
  createRoute({ ...under, path: '/', component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview') }),
  createRoute({ ...under, path: '/deployments', component: lazyRouteComponent(() => import('../deployments/list.tsx'), 'Deployments') }),
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
    component: lazyRouteComponent(() => import('../deployments/one.tsx'), 'Deployment'),
  }),
  createRoute({
    ...under,
    path: '/source',
    validateSearch: (search: Record<string, unknown>) => present({ file: textIn(search.file) }),
    component: lazyRouteComponent(() => import('../source/source.tsx'), 'Source'),
  }),
  createRoute({
    ...under,
    path: '/calls',
    validateSearch: (search: Record<string, unknown>) => present({ show: oneIn(RECEIPTS, search.show) }),
    component: lazyRouteComponent(() => import('./calls.tsx'), 'Calls'),
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
    component: lazyRouteComponent(() => import('../evaluations/evaluation.tsx'), 'Evaluation'),
  }),
  createRoute({
    ...under,
    path: '/evidence',
    validateSearch: readEvidenceSearch,
    component: lazyRouteComponent(() => import('../../evidence/agent/evidence.tsx'), 'MineEvidence'),
  }),
  createRoute({
    ...under,
    path: '/insights',
    validateSearch: readInsightsSearch,
    component: lazyRouteComponent(() => import('../../evidence/insights/insights.tsx'), 'Insights'),
  }),
  createRoute({ ...under, path: '/prices', component: lazyRouteComponent(() => import('../../money/prices/prices.tsx'), 'Prices') }),
  createRoute({ ...under, path: '/secrets', component: lazyRouteComponent(() => import('../agent-secrets/secrets.tsx'), 'Secrets') }),
  createRoute({ ...under, path: '/access', component: lazyRouteComponent(() => import('./access.tsx'), 'Access') }),
  createRoute({ ...under, path: '/domains', component: lazyRouteComponent(() => import('../domains/domains.tsx'), 'Domains') }),
  createRoute({ ...under, path: '/mailbox', component: lazyRouteComponent(() => import('../agent-mailboxes/mailbox.tsx'), 'Mailbox') }),
  createRoute({
    ...under,
    path: '/reviews',
    validateSearch: (search: Record<string, unknown>) => present({ review: textIn(search.review) }),
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
    component: lazyRouteComponent(() => import('../../studio/challenges/challenges.tsx'), 'Challenges'),
  }),
  createRoute({ ...under, path: '/challenges/$jobId', component: lazyRouteComponent(() => import('../../studio/challenges/challenge.tsx'), 'Challenge') }),
  createRoute({ ...under, path: '/upkeep', component: lazyRouteComponent(() => import('./upkeep.tsx'), 'Upkeep') }),
  createRoute({ ...under, path: '/dev-box', component: lazyRouteComponent(() => import('./dev-box.tsx'), 'DevBox') }),
  createRoute({ ...under, path: '/auth', component: lazyRouteComponent(() => import('../agent-auth/auth.tsx'), 'Auth') }),
] as const;

export const minePages = [mine, owner.addChildren(tabs)] as const;
