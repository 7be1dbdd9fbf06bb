import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PROPOSAL_STATES, STUDIO_RECIPES } from '#contract/states.ts';
import { root } from '../session/root.ts';
import { flagIn, oneIn, present, textIn } from '../kit/search.ts';
import { pagesOf, read } from '../api/query.ts';
import { begin } from '../session/begin.ts';

const SHOWN_PROPOSALS = [...PROPOSAL_STATES, 'all'] as const;

export const studioPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/agents/mine/$name/goals',
    staticData: { needs: 'account' },
    validateSearch: ({ open, make }: Record<string, unknown>): { open?: true; make?: true } => ({
      ...(open === true && { open }),
      ...(make === true && { make }),
    }),
    component: lazyRouteComponent(() => import('./goals/goals.tsx'), 'Goals'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/agents/mine/$name/goals/$run_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./goals/goal.tsx'), 'Goal'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/simulations',
    staticData: { needs: 'account' },
    validateSearch: ({ show, start }: Record<string, unknown>): { show?: 'compared' | 'templates'; start?: string } => ({
      ...((show === 'compared' || show === 'templates') && { show }),
      ...(typeof start === 'string' && { start: start.slice(0, 64) }),
    }),
    component: lazyRouteComponent(() => import('./simulations/simulations.tsx'), 'Simulations'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/simulations/$job_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./simulations/simulation.tsx'), 'SimulationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/simulations/compared/$job_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./simulations/comparison.tsx'), 'Comparison'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/trials',
    staticData: { needs: 'account' },
    validateSearch: ({ make }: Record<string, unknown>): { make?: true } => ({ ...(make === true && { make }) }),
    component: lazyRouteComponent(() => import('./trials/trials.tsx'), 'Trials'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/trials/$slug',
    staticData: { needs: 'account' },
    validateSearch: ({ run, add }: Record<string, unknown>): { run?: string; add?: true } => ({
      ...(typeof run === 'string' && { run: run.slice(0, 64) }),
      ...(add === true && { add }),
    }),
    component: lazyRouteComponent(() => import('./trials/room.tsx'), 'TrialRoom'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/teams',
    staticData: { needs: 'account' },
    validateSearch: ({ show, plan }: Record<string, unknown>): { show?: 'scorecards' | 'memories'; plan?: true } => ({
      ...((show === 'scorecards' || show === 'memories') && { show }),
      ...(plan === true && { plan }),
    }),
    component: lazyRouteComponent(() => import('./teams/teams.tsx'), 'Teams'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/teams/$dag_run_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./teams/team.tsx'), 'Team'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/brain',
    staticData: { needs: 'account' },
    loader: () =>
      begin(
        read('companyBrain', 'status', {}),
        pagesOf('companyBrain', 'artifacts', { params: { kind: 'townhall' }, query: { limit: 1 } }),
        pagesOf('companyBrain', 'dispatches', { query: { limit: 50 } }),
      ),
    component: lazyRouteComponent(() => import('./brain/brain.tsx'), 'Brain'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio',
    staticData: { needs: 'account' },
    validateSearch: (search: Record<string, unknown>) =>
      present({ make: flagIn(search.make), name: textIn(search.name, 63), goal: textIn(search.goal, 800), recipe: oneIn(STUDIO_RECIPES, search.recipe) }),
    component: lazyRouteComponent(() => import('./builds/studio.tsx'), 'Studio'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio/guest',
    component: lazyRouteComponent(() => import('./builds/guest.tsx'), 'StudioGuest'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio/runs/$run_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./builds/run.tsx'), 'StudioRun'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio/ideas',
    staticData: { needs: 'account' },
    validateSearch: (search: Record<string, unknown>) => present({ theme: textIn(search.theme, 200) }),
    component: lazyRouteComponent(() => import('./builds/ideas.tsx'), 'Ideas'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio/autopilot',
    staticData: { needs: 'account' },
    validateSearch: (search: Record<string, unknown>) => present({ state: oneIn(SHOWN_PROPOSALS, search.state) }),
    loaderDeps: ({ search }) => search,
    loader: ({ deps: { state = 'open' } }) => begin(read('agentStudio', 'autopilot', {}), pagesOf('agentStudio', 'proposals', { query: { state, limit: 50 } })),
    component: lazyRouteComponent(() => import('./builds/autopilot.tsx'), 'Autopilot'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/studio/autopilot/$proposal_id',
    staticData: { needs: 'account' },
    component: lazyRouteComponent(() => import('./builds/proposal.tsx'), 'ProposalPage'),
  }),
] as const;
