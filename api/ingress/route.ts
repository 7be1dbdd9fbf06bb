import type { IngressRoute, Table } from './route-cache.ts';
import type { AtSite, Routed, Step } from './step.ts';

export function createRoute(routes: Table<IngressRoute>): Step<AtSite, Pick<Routed, 'route'>> {
  return ({ site }) => {
    const route = routes.get(site.agentName);
    return route instanceof Promise ? route.then((found) => ({ route: found })) : { route };
  };
}
