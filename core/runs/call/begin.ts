// The start of every call, by any protocol: its grant is checked, it gets a run, and it is noted in
// open_calls.
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { beginRun, pricedHeader, runHeaders } from '../run/begin.ts';
import { callingOf, identityHeaders } from '../run/caller.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { takeAgentCalls } from '../../policy/count.ts';
import { committingRefusals, policyDenied, recordingDenials } from '../../policy/deny.ts';
import { askDenialOf, judgeHandoff, rootOf } from '../../pauses/handoff/by-policy.ts';
import { type Handoff, holdHandoff } from '../../pauses/handoff/hold.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { keepArgs } from '../subagent/keep.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { system } from '../../kernel/act.ts';
import { passedGrant } from '../../workspace/grant/verify.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { refuseMailSkill, requireSkill } from '../../agents/route/may-call.ts';
import { setupHeaders, setupUser } from '../../agents/setup/call.ts';
import { takeAccountCalls } from '../../money/account-access/take.ts';
import { holdCharge, type PendingCharge, pendingCharge } from '../../money/charge/begin.ts';
import { admitCall } from './account-limit.ts';
import { type Call, callerOfActor, newCall } from './call.ts';
import { releasing, noteCalls } from './open-calls.ts';

/** What names a call in its request. */
export type CallId = string | number;

/** A request that calls skills of an agent: all of its calls are one run. */
export interface Calling {
  route: AgentRoute;
  actor: Actor;
  /** What the run is known by; of several calls at once the name of their protocol. */
  skill: string;
  grant: string | undefined;
  /** Of the whole request. */
  input: Pick<Handoff, 'inputSha256' | 'args'>;
  calls: ReadonlyMap<CallId, Called>;
  /** The skill's arguments, where the request calls one: for who repeats the call. */
  kept: () => unknown;
  /** Push addresses that the request names. */
  names?: readonly string[];
  /** The caller understands 202: a user's call becomes durable when it asks a user. */
  waits?: boolean;
}

interface Called {
  skill: string;
  inputSha256: string;
  /** For what is scored by them. */
  args?: () => unknown;
}

export interface Begun {
  run: RunActor;
  /** For the agent, beside its key. */
  headers: Record<string, string>;
  calls: Map<CallId, Call>;
}

/**
 * Resolves with the calls once they are noted, before their agent is asked. A call by a run leaves a row for
 * caller and callee: who called whom, under which grant. Other calls leave none.
 * @throws Unauthorized account_required; Forbidden grant_invalid, run_ended, call_denied, skill_not_allowed,
 * mail_only, account_suspended, not_permitted; policy_denied; PaymentRequired insufficient_credits,
 * policy_budget_reached, llm_cap_reached; TooManyRequests call_limit; Conflict call_loop,
 * call_depth_exceeded, setup_required, handoff_pending, account_access_used_up; BadRequest
 * priced_calls_apart
 */
export async function beginCalls(ctx: Ctx, i: Calling): Promise<Begun> {
  const called = [...i.calls.values()];
  for (const { skill } of called) requireSkill(i.actor, skill);
  for (const { skill } of called) refuseMailSkill(i.route, skill);
  refusePricedTogether(i.route, called);
  const { run, grantId, headers } = await prepare(ctx, i);
  const facts = { caller: callerOfActor(i.actor), route: i.route, run, grantId };
  const calls = new Map([...i.calls].map(([id, one]) => [id, newCall(ctx, { ...facts, ...one })]));
  const charge = called[0] && (await pendingCharge(ctx, { route: i.route, actor: i.actor, run, skill: called[0].skill }));
  if (charge) for (const call of calls.values()) call.charged = true;
  await note(ctx, i, { run, grantId, calls: [...calls.values()], charge });
  const priced = called[0] && called.length === 1 ? pricedHeader(i.route, called[0].skill) : {};
  return { run, calls, headers: { ...headers, ...priced } };
}

/** A request that is one call. */
export function oneCall({ kept, ...i }: Omit<Calling, 'calls' | 'kept'> & { kept?: () => unknown }): Calling {
  const args = kept ?? i.input.args;
  return { ...i, kept: args, calls: new Map([[i.skill, { skill: i.skill, inputSha256: i.input.inputSha256, args }]]) };
}

async function prepare(ctx: Ctx, i: Calling): Promise<Pick<Begun, 'run' | 'headers'> & { grantId: string | null }> {
  await admitCall(ctx.db, i.actor, i.route, ctx.clock());
  const begun = beginRun(ctx, i);
  const setup = await setupHeaders(ctx, i.route, setupUser(i.actor));
  // Checked here too, where revocations are known.
  const grantId = i.grant === undefined ? null : await passedGrant(ctx, i.grant, i.route.agentName);
  // A call by a run ends with its caller; only a user's call can become durable.
  const adoptable = { input_sha256: i.input.inputSha256, grant_id: grantId };
  const named: RunActor = i.names ? { ...begun, names: i.names } : begun;
  const run: RunActor = i.waits === true && i.actor.kind === 'user' ? { ...named, adoptable } : named;
  const identity = await identityHeaders(ctx, callingOf(run), { apiKey: i.route.apiKey, runId: run.run_id });
  return { run, grantId, headers: { ...(await runHeaders(ctx, run, i.route.maxRuntimeMs)), ...identity, ...setup } };
}

/** One run answers them, and a run has one charge. @throws BadRequest priced_calls_apart */
function refusePricedTogether({ prices, agentName }: AgentRoute, called: readonly Called[]): void {
  const priced = called.length > 1 && prices ? called.find(({ skill }) => prices.has(skill)) : undefined;
  if (priced) throw new BadRequest('priced_calls_apart', `${priced.skill} of ${agentName} has a price: call it in a request of its own`);
}

interface Noted {
  run: RunActor;
  grantId: string | null;
  calls: readonly Call[];
  charge: PendingCharge | undefined;
}

/** In one transaction with its row, so that a crash leaves no run that is never ended. */
async function note(ctx: Ctx, i: Calling, { run, grantId, calls, charge }: Noted): Promise<void> {
  const { actor, route } = i;
  if (actor.kind !== 'run') {
    if (charge) return noteCharged(ctx, i, charge, calls);
    await takeAccountCalls(ctx, route, actor, calls.length);
    return noteCalls(ctx.db, calls);
  }
  const asker = { ...ctx, actor };
  const { accounts, verdict } = await judgeHandoff(asker, { route: i.route, skills: calls.map(({ skill }) => skill) });
  const keepsArgs = !(await isPiiSafe(ctx.db, accounts));
  const noting = system(asker, async (ctx) => {
    if (verdict.outcome === 'deny') throw policyDenied(verdict.denial);
    // The run is locked before its waits, as everywhere; a handoff that asks changes the run.
    await ensureRun(ctx, {}, actor.thread_id === null ? 'share' : 'update');
    const refusal = await holdHandoff(ctx, actor, { route: i.route, skill: i.skill, ...i.input, grantId, ...askDenialOf(verdict) });
    if (refusal) return refusal;
    await takeAgentCalls(ctx, { accounts, rootId: rootOf(actor), agent: i.route.agentName, calls: calls.length });
    await takeAccountCalls(ctx, i.route, actor, calls.length);
    await ensureRun({ ...ctx, actor: run }, { grant_id: grantId, input_sha256: i.input.inputSha256 });
    if (keepsArgs) await keepArgs(ctx.db, run.run_id, i.kept());
    await noteCalls(ctx.db, calls);
    if (charge) await holdCharge(ctx, charge);
    return undefined;
  });
  await releasing(calls, () => committingRefusals<void>(asker, () => noting));
}

/** What the call may cost is held in the transaction that notes it: neither is there without the other. */
async function noteCharged(ctx: Ctx, { actor, route }: Calling, charge: PendingCharge, calls: readonly Call[]): Promise<void> {
  const asker = { ...ctx, actor };
  // The caller may call, as its door has asked.
  const noting = (): Promise<void> =>
    system(asker, async (ctx) => {
      await takeAccountCalls(ctx, route, actor, calls.length);
      await noteCalls(ctx.db, calls, true);
      await holdCharge(ctx, charge);
    });
  await releasing(calls, () => recordingDenials(asker, noting));
}
