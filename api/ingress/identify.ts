// Tells the agent who makes a request which begins no run. What begins one is told by what begins it.
import type { Actor } from '#core/kernel/ctx.ts';
import { withOwn } from '#core/runs/call/own-headers.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Ready, Step } from './step.ts';

export type Identify = (route: IngressRoute, actor: Actor) => Promise<Record<string, string>>;

/** Absent: the agent is not told. Only its owner opens a dev box. */
export function createIdentify(identify: Identify | undefined): Step<Ready, Pick<Ready, 'headers'> | undefined> {
  return ({ actor, route, headers }) => {
    if (!identify || actor.kind === 'anonymous' || route.box) return undefined;
    return identify(route, actor).then((own) => ({ headers: withOwn(headers, own) }));
  };
}
