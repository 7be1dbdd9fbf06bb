// What every call begins with, whatever door it came by: the grant it brings is checked, and it becomes a run.
import type { Actor, Ctx, RunActor } from '../../ctx.ts';
import { beginRun, runHeaders } from '../../runs/run/begin.ts';
import { type Handoff, holdHandoff } from '../../runs/handoff/hold.ts';
import { ensureRun } from '../../runs/run/ensure.ts';
import { inTx } from '../../tx.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import type { AgentRoute } from '../route/resolve.ts';
import { setupHeaders, setupUser } from '../setup/call.ts';

export interface Begun {
  run: RunActor;
  grantId: string | null;
  /** For the agent, beside its key. */
  headers: Record<string, string>;
}

/**
 * A call by a run leaves a row for caller and callee: who called whom, under which grant. Other calls leave none.
 * @throws Forbidden grant_invalid, run_ended, call_denied; Conflict call_loop, call_depth_exceeded, setup_required, handoff_pending
 */
export async function beginCall(
  ctx: Ctx,
  i: {
    route: AgentRoute;
    actor: Actor;
    skill: string;
    grant: string | undefined;
    input: Pick<Handoff, 'inputSha256' | 'args'>;
    waits?: { inputSha256: string };
  },
): Promise<Begun> {
  const begun = beginRun(ctx, i);
  const setup = await setupHeaders(ctx, i.route, setupUser(i.actor));
  const grantId = i.grant === undefined ? null : await grantOf(ctx, i.grant, i.route.agentName);
  // A run holds its call; a user's waits for nobody: once it asks a person it goes on without them.
  const run: RunActor = i.waits && i.actor.kind === 'user' ? { ...begun, adoptable: { input_sha256: i.waits.inputSha256, grant_id: grantId } } : begun;
  if (i.actor.kind === 'run') {
    const { actor } = i;
    const refused = await inTx({ ...ctx, actor }, async (tx, inner) => {
      // The run before its waits, as everywhere; whoever may ask changes it.
      await ensureRun(tx, inner, {}, actor.thread_id === null ? 'share' : 'update');
      const held = await holdHandoff(tx, inner, actor, { route: i.route, skill: i.skill, ...i.input, grantId });
      if (held) return held;
      await ensureRun(tx, { ...inner, actor: run }, { grant_id: grantId, input_sha256: i.input.inputSha256 });
      return undefined;
    });
    if (refused) throw refused;
  }
  return { run, grantId, headers: { ...runHeaders(ctx, run, i.route.maxRuntimeMs), ...setup } };
}

/** Checked here too, where a revocation is known; whoever passes a grant on need not be its addressee. */
async function grantOf(ctx: Ctx, token: string, audience: string): Promise<string> {
  const { grant } = await verifyGrant({ ...ctx, actor: { kind: 'platform', service: 'calls' } }, token, { audience });
  return grant.grant_id;
}
