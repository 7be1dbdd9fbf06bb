// What concerns tasks of the agent-to-agent protocol and calls nothing, and event streams that go on.
import { isMcpPath } from '#contract/identity/resources.ts';
import type { Actor } from '#core/kernel/ctx.ts';
import { withOwn } from '#core/runs/call/own-headers.ts';
import { takeTraceparent } from '#core/runs/call/trace-header.ts';
import { keyHeader } from '#core/runs/task/place.ts';
import { grantOf } from './headers.ts';
import type { IngressRoute } from './route-cache.ts';
import type { Ready, Step } from './step.ts';

export interface TaskOptions {
  /** Headers that tell the agent whose tasks the caller may see; they begin no run. */
  beginTask: (task: { route: IngressRoute; actor: Actor; grant: string | undefined }, requestId: string) => Promise<Record<string, string>>;
  /**
   * Where what a request goes on with lives, if not in the live machine: the task in its path, the stream of
   * an event. Absent: all are there.
   */
  placeOf?: ((route: IngressRoute, asked: { path: string; lastEventId?: string | undefined }) => Promise<IngressRoute>) | undefined;
}

/**
 * The protocol's paths, its older form's included: passed on as they are, with a run of their own. Calls
 * among them are answered before (call.ts).
 */
const TASK_PATH = /^\/(?:a2a\/?$|(?:v1\/)?(?:message:|tasks?(?:[/:]|$)))/;

type Led = Pick<Ready, 'route' | 'headers'>;

export function createTask({ beginTask, placeOf }: TaskOptions): Step<Ready, Led | undefined> {
  async function lead({ request, requestId, path, actor, route: live, headers: sent }: Ready, isTask: boolean, lastEventId?: string): Promise<Led> {
    const route = placeOf ? await placeOf(live, { path, lastEventId }) : live;
    const headers = route === live ? sent : withOwn(sent, keyHeader(route));
    if (!isTask) return { route, headers };
    const own = await beginTask({ route, actor, grant: grantOf(request) }, requestId);
    return { route, headers: withOwn(takeTraceparent(headers).headers, own) };
  }

  return (visit) => {
    const isTask = TASK_PATH.test(visit.path);
    const lastEventId = isMcpPath(visit.path) ? visit.request.headersDistinct['last-event-id']?.[0] : undefined;
    return isTask || lastEventId !== undefined ? lead(visit, isTask, lastEventId) : undefined;
  };
}
