import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { root } from '../session/root.ts';
import type { DocsPage } from './tree.ts';

const docs = createRoute({
  getParentRoute: () => root,
  path: '/docs',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => (typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
  component: lazyRouteComponent(() => import('./layout.tsx'), 'Layout'),
});

const start = createRoute({
  getParentRoute: () => docs,
  path: '/',
  loader: () => load(''),
  component: lazyRouteComponent(() => import('./page.tsx'), 'Start'),
});

const page = createRoute({
  getParentRoute: () => docs,
  path: '$',
  loader: ({ params }) => load(params._splat ?? ''),
  component: lazyRouteComponent(() => import('./page.tsx'), 'Page'),
});

async function load(at: string): Promise<DocsPage> {
  const { loaders } = await import('virtual:docs');
  const loader = Object.hasOwn(loaders, at) ? loaders[at] : undefined;
  if (!loader) throw notFound();
  return (await loader()).page;
}

export const docsPages = [docs.addChildren([start, page])] as const;
