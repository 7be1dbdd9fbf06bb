// Calls that failed by the agent's own fault, where svc.yaml asks for self-healing. Refusals of a caller (4xx) never count.
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { noteFailure } from '../../agents/healing/note.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import type { Outcome } from '../run/outcome.ts';

/** Errors that no author declares: the skill threw, or its process went away. */
const FAULTS: ReadonlySet<string> = new Set([
  'skill_invocation_error',
  'skill_failed',
  'internal_error',
  'stream_broken',
  'bad_answer',
  'bad_stream',
  'run_lost',
]);

export async function noteFault(ctx: Ctx, route: Pick<AgentRoute, 'deployId' | 'selfHealing'>, code: string): Promise<void> {
  if (route.selfHealing !== true) return;
  // What cannot be noted is not worth the answer to the caller.
  await noteFailure(ctx.db, route.deployId, code).catch(() => undefined);
}

/** Of a call that ended without a status: by the code of its error. */
export async function noteOutcome(ctx: Ctx, route: Pick<AgentRoute, 'deployId' | 'selfHealing'>, outcome: Outcome): Promise<void> {
  const code = faultIn(outcome);
  if (code !== undefined) await noteFault(ctx, route, code);
}

/** Undefined: it did not fail, or not by the agent's own fault. */
export function faultIn(outcome: Outcome): string | undefined {
  return outcome.state === 'failed' && FAULTS.has(outcome.error.code) ? outcome.error.code : undefined;
}
