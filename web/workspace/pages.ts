import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import { present, textIn } from '../kit/search.ts';

const needs = { needs: 'account' } as const;

export interface FilesSearch {
  /** Ends with "/"; absent: the top. */
  folder?: string;
  /** The file that is open beside the list. */
  path?: string;
}

export const workspacePages = [
  createRoute({
    getParentRoute: () => root,
    path: '/files',
    staticData: needs,
    validateSearch: ({ folder, path }: Record<string, unknown>): FilesSearch => present({ folder: textIn(folder), path: textIn(path) }),
    component: lazyRouteComponent(() => import('./files/files.tsx'), 'Files'),
  }),
  createRoute({ getParentRoute: () => root, path: '/grants', staticData: needs, component: lazyRouteComponent(() => import('./grants/grants.tsx'), 'Grants') }),
  createRoute({
    getParentRoute: () => root,
    path: '/grants/$grant_id',
    staticData: needs,
    component: lazyRouteComponent(() => import('./grants/grant.tsx'), 'Grant'),
  }),
] as const;
