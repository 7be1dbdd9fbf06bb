// Calls that failed by the agent's own fault, where svc.yaml asks for self-healing. Refusals of a caller
// (4xx) never count.
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { noteFailure } from '../../agents/agent/note-failure.ts';
import type { Ctx } from '../../kernel/ctx.ts';

export async function noteFault(ctx: Ctx, route: Pick<AgentRoute, 'deployId' | 'selfHealing'>, code: string): Promise<void> {
  if (route.selfHealing !== true) return;
  // What cannot be noted is not worth the answer to the caller.
  await noteFailure(ctx.db, route.deployId, code).catch(() => undefined);
}
