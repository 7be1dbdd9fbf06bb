// The pages as web/shell/pages.ts declares them. Run by files.ts, which stands in for the router and for what
// a page shows.
import type { AnyRoute } from '@tanstack/react-router';
import { tree } from '../../shell/pages.ts';

export interface DeclaredPage {
  /** As the router writes it: /runs/$run_id. */
  path: string;
  /** Of the page and of the frames around it; below web/. */
  modules: string[];
}

/** What files.ts makes of a route's component: it says which module has it. */
type StandIn = () => Promise<{ module: string }>;

async function pagesBelow({ options, children }: AnyRoute, above: string, around: string[]): Promise<DeclaredPage[]> {
  const path = `${above}/${'path' in options ? String(options.path) : ''}`.replaceAll(/\/+/g, '/');
  const modules = options.component ? [...around, (await (options.component as unknown as StandIn)()).module] : around;
  if (!children) return [{ path: path.replace(/(?<=.)\/$/, ''), modules }];
  const below = (Object.values(children) as AnyRoute[]).map((child) => pagesBelow(child, path, modules));
  return (await Promise.all(below)).flat();
}

export const declared = await pagesBelow(tree, '', []);
