// A call becomes a run: its id, its chain of callers, and the credential the agent gets with it. No row is
// written.
import { MAX_CALL_DEPTH } from '#contract/wire/limits.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { TRACEPARENT, TRACESTATE, tracestateOf } from '#contract/wire/trace-context.ts';
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { actorId } from '../../kernel/audit.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { traceOfCall, traceparentOf } from '../../kernel/trace.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { mintRunCredential } from './credential.ts';

/**
 * Beyond the longest run: to wake the machine and to report the end. For a run that waits for a user its row
 * decides.
 */
const marginMs = 3_600_000;

/**
 * @throws Conflict call_depth_exceeded, call_loop: 409, since the same call is fine from elsewhere in the
 * chain, and every route that calls declares 409.
 */
export function beginRun(ctx: Pick<Ctx, 'clock' | 'trace' | 'purpose'>, { route, actor, skill }: { route: AgentRoute; actor: Actor; skill: string }): RunActor {
  const now = ctx.clock();
  const parent = actor.kind === 'run' ? actor : undefined;
  const step = `${route.agentName}/${skill}`;
  const before = parent?.chain ?? [];
  const trace = traceOfCall(ctx.trace, parent);
  if (before.includes(step)) {
    throw new Conflict('call_loop', `${step} is already under way in this chain of calls: an agent must not call itself through others`, { chain: before });
  }
  if (before.length >= MAX_CALL_DEPTH) {
    throw new Conflict('call_depth_exceeded', `This would be call ${before.length + 1} of a chain; ${MAX_CALL_DEPTH} may follow each other`, { chain: before });
  }
  return {
    kind: 'run',
    run_id: newId('run', now),
    agent_id: route.agentId,
    agent_name: route.agentName,
    deploy_id: route.deployId,
    owner_id: route.ownerId,
    skill,
    user_id: actor.kind === 'user' || actor.kind === 'run' ? actor.user_id : null,
    ...ofMember(actor),
    ...(ctx.purpose && { purpose: ctx.purpose }),
    caller: { kind: actor.kind, id: actorId(actor) },
    chain: [...before, step],
    parent_run_id: parent?.run_id ?? null,
    ...(parent && { root_run_id: parent.root_run_id ?? parent.run_id }),
    thread_id: parent?.thread_id ?? null,
    job_id: parent?.job_id ?? null,
    started_at: now,
    ...(trace && { trace }),
  };
}

function ofMember(actor: Actor): Pick<RunActor, 'person_id'> {
  if (actor.kind === 'user') return actor.member ? { person_id: actor.member.person_id } : {};
  return actor.kind === 'run' && actor.person_id !== undefined ? { person_id: actor.person_id } : {};
}

/** Header names and values for the agent, believed there beside its own key. */
export async function runHeaders({ drivers }: Pick<Ctx, 'drivers'>, run: RunActor, maxRuntimeMs: number): Promise<Record<string, string>> {
  const token = await mintRunCredential(drivers.vault, run, run.started_at + maxRuntimeMs + marginMs);
  // Who only looks begins no run, and so no span.
  const trace = run.looks ? {} : traceHeaders(run);
  return { [HEADER.runId]: run.run_id, [HEADER.runToken]: token, ...trace, ...(run.adoptable ? { [HEADER.detached]: 'wait' } : {}) };
}

/** For a call of one skill of an agent that has prices: another one would cost something else. */
export function pricedHeader({ prices }: Pick<AgentRoute, 'prices'>, skill: string): Record<string, string> {
  return prices ? { [HEADER.pricedSkill]: skill } : {};
}

/** What the spans of the run continue. */
function traceHeaders(run: RunActor): Record<string, string> {
  return { [TRACEPARENT]: traceparentOf(run), [TRACESTATE]: tracestateOf(run.run_id, run.trace?.state) };
}

/**
 * Names the caller where no run starts. Without a run id the agent starts none, so none is without a receipt;
 * the credential shows what the caller may see and permits nothing else.
 */
export async function callerHeaders(ctx: Pick<Ctx, 'drivers'>, run: RunActor, maxRuntimeMs: number): Promise<Record<string, string>> {
  const { [HEADER.runId]: _, ...headers } = await runHeaders(ctx, { ...run, looks: true }, maxRuntimeMs);
  return headers;
}
