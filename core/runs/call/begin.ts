// The start of every call, by any protocol: its grant is checked, it gets a run, and it is noted in
// open_calls.
import type { Actor, Ctx, RunActor } from '../../kernel/ctx.ts';
import { beginRun, pricedHeader, runHeaders } from '../run/begin.ts';
import { callingOf, identityHeaders } from '../run/caller.ts';
import { isPiiSafe } from '../../policy/check.ts';
import { takeAgentCalls } from '../../policy/count.ts';
import { policyDenied, recordingDenials, recordRefusal } from '../../policy/deny.ts';
import { askDenialOf, judgeHandoff, rootOf } from '../../pauses/handoff/by-policy.ts';
import { type Handoff, holdHandoff } from '../../pauses/handoff/hold.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { keepArgs } from '../subagent/keep.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { system } from '../../kernel/act.ts';
import { verifyGrant } from '../../workspace/grant/verify.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { refuseMailSkill, requireSkill } from '../../agents/route/may-call.ts';
import { setupHeaders, setupUser } from '../../agents/setup/call.ts';
import { takeAccountCalls } from '../../money/account-access/take.ts';
import { holdCharge, type PendingCharge, pendingCharge } from '../../money/charge/begin.ts';
import { admitCall } from './account-limit.ts';
import { type Call, callerOf, newCall } from './call.ts';
import { releasing, noteCalls } from './open-calls.ts';

interface Beginning {
  route: AgentRoute;
  actor: Actor;
  /** What the run is known by; of several calls at once the name of their protocol. */
  skill: string;
  grant: string | undefined;
  /** Of the whole request. */
  input: Pick<Handoff, 'inputSha256' | 'args'>;
  /** The skill's arguments, where `input.args` are not they. */
  kept?: unknown;
  /** Push addresses that the request names. */
  names?: readonly string[];
  /** The caller understands 202: a user's call becomes durable when it asks a user. */
  waits?: boolean;
}

/** One call of a request. */
interface Called {
  skill: string;
  inputSha256: string;
  args: unknown;
}

interface Ready {
  run: RunActor;
  grantId: string | null;
  /** For the agent, beside its key. */
  headers: Record<string, string>;
}

/**
 * Resolves with the call once it is noted, before its agent is asked. A call by a run leaves a row for caller
 * and callee: who called whom, under which grant. Other calls leave none.
 * @throws Unauthorized account_required; Forbidden grant_invalid, run_ended, call_denied, skill_not_allowed,
 * mail_only, account_suspended, not_permitted; policy_denied; PaymentRequired insufficient_credits,
 * policy_budget_reached, llm_cap_reached; TooManyRequests call_limit; Conflict call_loop,
 * call_depth_exceeded, setup_required, handoff_pending, account_access_used_up
 */
export async function beginCall(ctx: Ctx, i: Beginning): Promise<Pick<Ready, 'headers'> & { call: Call }> {
  requireSkill(i.actor, i.skill);
  refuseMailSkill(i.route, i.skill);
  const ready = await prepare(ctx, i);
  const args = (): unknown => ('kept' in i ? i.kept : i.input.args());
  const call = { ...callOf(ctx, i, ready, { skill: i.skill, inputSha256: i.input.inputSha256 }), args };
  const noted = await note(ctx, i, ready, [call], args);
  return { call: noted[0] ?? call, headers: { ...ready.headers, ...pricedHeader(i.route, i.skill) } };
}

/** The same for several calls that one run answers, each by whatever names it in its request. */
export async function beginCalls<K>(ctx: Ctx, i: Beginning, called: ReadonlyMap<K, Called>): Promise<Pick<Ready, 'headers' | 'run'> & { calls: Map<K, Call> }> {
  for (const { skill } of called.values()) refuseMailSkill(i.route, skill);
  refusePricedTogether(i.route, [...called.values()]);
  const ready = await prepare(ctx, i);
  const calls = [...called].map(([key, one]) => [key, callOf(ctx, i, ready, one)] as const);
  const [only, ...more] = called.values();
  const priced = only && more.length === 0 ? pricedHeader(i.route, only.skill) : {};
  const noted = await note(
    ctx,
    i,
    ready,
    calls.map(([, call]) => call),
    () => (more.length === 0 ? only?.args : undefined),
  );
  return { calls: new Map(calls.map(([key, call], at) => [key, noted[at] ?? call])), headers: { ...ready.headers, ...priced }, run: ready.run };
}

async function prepare(ctx: Ctx, i: Beginning): Promise<Ready> {
  await admitCall(ctx.db, i.actor, i.route, ctx.clock());
  const begun = beginRun(ctx, i);
  const setup = await setupHeaders(ctx, i.route, setupUser(i.actor));
  const grantId = i.grant === undefined ? null : await grantOf(ctx, i.grant, i.route.agentName);
  // A call by a run ends with its caller; only a user's call can become durable.
  const adoptable = { input_sha256: i.input.inputSha256, grant_id: grantId };
  const named: RunActor = i.names ? { ...begun, names: i.names } : begun;
  const run: RunActor = i.waits === true && i.actor.kind === 'user' ? { ...named, adoptable } : named;
  const identity = await identityHeaders(ctx, callingOf(run), { apiKey: i.route.apiKey, runId: run.run_id });
  return { run, grantId, headers: { ...(await runHeaders(ctx, run, i.route.maxRuntimeMs)), ...identity, ...setup } };
}

function callOf(ctx: Ctx, { actor, route }: Beginning, { run, grantId }: Ready, { skill, inputSha256 }: Omit<Called, 'args'>): Call {
  return newCall(ctx, { caller: callerOf(actor), route, skill, inputSha256, run, grantId });
}

/** One run answers them, and a run has one charge. @throws BadRequest priced_calls_apart */
function refusePricedTogether({ prices, agentName }: AgentRoute, called: readonly Called[]): void {
  const priced = called.length > 1 && prices ? called.find(({ skill }) => prices.has(skill)) : undefined;
  if (priced) throw new BadRequest('priced_calls_apart', `${priced.skill} of ${agentName} has a price: call it in a request of its own`);
}

/**
 * In one transaction with its row, so that a crash leaves no run that is never ended. Resolves with the calls
 * as they were noted.
 */
async function note(ctx: Ctx, i: Beginning, ready: Ready, unpriced: readonly Call[], args: () => unknown): Promise<readonly Call[]> {
  const { actor, route } = i;
  const { run, grantId } = ready;
  const [first] = unpriced;
  const charge = first && (await pendingCharge(ctx, { route, actor, run, skill: first.skill }));
  const calls = charge ? unpriced.map((call) => ({ ...call, charged: true as const })) : unpriced;
  if (actor.kind !== 'run') {
    if (charge) await noteCharged(ctx, i, charge, calls);
    else {
      await takeAccountCalls(ctx, route, actor, calls.length);
      await noteCalls(ctx.db, calls);
    }
    return calls;
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
    if (keepsArgs) await keepArgs(ctx.db, run.run_id, args());
    await noteCalls(ctx.db, calls);
    if (charge) await holdCharge(ctx, charge);
    return undefined;
  });
  const refused = await releasing(calls, () => recordingDenials(asker, () => noting));
  if (!refused) return calls;
  await recordRefusal(asker, refused);
  throw refused;
}

/** What the call may cost is held in the transaction that notes it: neither is there without the other. */
async function noteCharged(ctx: Ctx, { actor, route }: Beginning, charge: PendingCharge, calls: readonly Call[]): Promise<void> {
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

/** Checked here too, where revocations are known. Its sender need not be its audience. */
async function grantOf(ctx: Ctx, token: string, audience: string): Promise<string> {
  const { grant } = await verifyGrant({ ...ctx, actor: { kind: 'platform', service: 'calls' } }, token, { audience });
  return grant.grant_id;
}
