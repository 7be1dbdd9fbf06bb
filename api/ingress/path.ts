// The path of a request to an agent. What the ingress decides by is what the agent gets.
import { inOneSpelling } from '#contract/wire/agent-path.ts';
import { isBox } from './host.ts';
import type { AtSite } from './step.ts';

export function onePath({ request, site }: AtSite): Pick<AtSite, 'path'> {
  if (!isBox(site)) request.url = inOneSpelling(request.url ?? '/');
  return { path: pathOf(request.url) };
}

export function pathOf(url = '/'): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
