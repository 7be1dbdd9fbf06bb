// Calls of the double, by the way that every call takes: authorised, noted, sent to its machine, sealed with
// a receipt.
import { setTimeout as pause } from 'node:timers/promises';
import { MAX_CALL_DEPTH } from '#contract/wire/limits.ts';
import { BadGateway, DomainError, GatewayTimeout, Unavailable } from '../../../kernel/errors.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import { beginCalls, oneCall } from '../../../runs/call/begin.ts';
import { endCall } from '../../../runs/call/end.ts';
import type { Performed } from '../../../runs/call/perform.ts';
import { callSkill } from '../../../runs/call/skill.ts';
import { sweepLostCalls } from '../../../runs/call/lost-calls.ts';
import { releasing } from '../../../runs/call/open-calls.ts';
import { agentErrorOf, failureCode } from '../../../runs/run/agent-error.ts';
import { hashOf } from '../../../runs/run/hash.ts';
import { succeeded } from '../../../runs/run/outcome.ts';
import { resolveRoute } from '../../../agents/route/resolve.ts';
import { asRun, asUser, later, madeGrant, NotApplicable, type Play, stagedAgent, type StepHandler, type StepResult } from './play.ts';
import { chooseSkill, type Chosen } from './skills.ts';

/** A skill may take longer: that the agent was asked is what counts. */
const CALL_MS = 15_000;
/** By these the agent's runtime refuses before the author's code runs. */
const REFUSALS: readonly string[] = ['skill_input_error', 'skill_not_found', 'grant_invalid'];

export const call: StepHandler<'call'> = async (play, step) => {
  const chosen = await chooseSkill(play, step);
  const to = stagedAgent(play, step.to);
  const grant = step.grant === undefined ? undefined : madeGrant(play, step.grant).token;
  const as = step.caller === 'run' ? asRun(play, play.stage.agent, ['rehearsal-caller/work']) : asUser(play);
  const signal = step.caller === 'gone' ? AbortSignal.abort() : AbortSignal.any([play.signal, AbortSignal.timeout(CALL_MS)]);
  return invoke(play, later(as, step.after_seconds), { name: to.name, chosen, grant, signal, gone: step.caller === 'gone' });
};

interface Invocation {
  name: string;
  chosen: Chosen;
  grant?: string | undefined;
  signal: AbortSignal;
  gone?: boolean;
}

async function invoke(play: Play, ctx: Ctx, { name, chosen, grant, signal, gone = false }: Invocation): Promise<StepResult> {
  const ended = await ask(play, ctx, { name, chosen, grant, signal, gone });
  const receipt = ended.receiptId === undefined ? undefined : await ctx.db('receipts').where({ receipt_id: ended.receiptId }).first('status');
  const receipts = receipt ? 1 : 0;
  if (gone && receipt?.status === 'cancelled') return { outcome: 'cancelled', facts: { receipts, receipt_status: 'cancelled' } };
  if (ended.asked) return { outcome: 'asked', facts: { receipts }, observed: ended.said };
  return { outcome: 'refused', code: ended.code, facts: { receipts, ...(receipt && { receipt_status: receipt.status }) } };
}

interface Ended {
  asked: boolean;
  code: string;
  said: string;
  receiptId: string | undefined;
}

async function ask(play: Play, ctx: Ctx, { name, chosen: { skill, args }, grant, signal, gone }: Invocation): Promise<Ended> {
  try {
    const performed = await callSkill(ctx, { name, skill_name: skill, args, accept: 'application/json', grant, signal });
    const code = codeOf(performed);
    const isRefused = performed.kind === 'refused' && REFUSALS.includes(code);
    return { asked: !isRefused, code, said: code === '' ? `${skill} answered` : `${skill}: ${code}`, receiptId: performed.receiptId };
  } catch (error) {
    if (!(error instanceof DomainError) || play.signal.aborted) throw error;
    // Its machine does not answer: that says nothing about the agent.
    if (error.code === 'agent_unreachable' && gone !== true && !signal.aborted) throw error;
    const { receipt_id } = error.details;
    return { asked: isAgents(error), code: error.code, said: `${skill}: ${error.code}`, receiptId: typeof receipt_id === 'string' ? receipt_id : undefined };
  }
}

/** Empty: it has answered, or asks. */
function codeOf(performed: Performed): string {
  if (performed.kind === 'unreadable') return 'agent_bad_answer';
  if (performed.kind === 'refused') return agentErrorOf(performed.value)?.code ?? 'refused';
  return performed.kind === 'failed' ? (agentErrorOf(performed.value)?.code ?? failureCode(performed.status)) : '';
}

/** The agent had the call, however badly it went. */
function isAgents(error: DomainError): boolean {
  return error instanceof BadGateway || error instanceof GatewayTimeout || error instanceof Unavailable;
}

/** As a run of its own would: the platform knows every call that led to it. */
export const recurse: StepHandler<'recurse'> = async (play, step) => {
  const { agent } = play.stage;
  const chosen = await chooseSkill(play, { args: 'sample' });
  const signal = AbortSignal.any([play.signal, AbortSignal.timeout(4 * CALL_MS)]);
  if (step.through === 'itself') {
    const first = await invoke(play, asUser(play), { name: agent.name, chosen, signal });
    if (first.outcome !== 'asked') return first;
    return invoke(play, asRun(play, agent, [`${agent.name}/${chosen.skill}`]), { name: agent.name, chosen, signal });
  }
  let deepest = 0;
  for (const depth of [1, MAX_CALL_DEPTH - 1, MAX_CALL_DEPTH, MAX_CALL_DEPTH * 2]) {
    const chain = Array.from({ length: depth }, (_, at) => `relay-${at}/pass`);
    const made = await invoke(play, asRun(play, agent, chain), { name: agent.name, chosen, signal });
    if (made.outcome === 'refused') return { outcome: 'refused', code: made.code ?? 'refused', facts: { deepest } };
    deepest = depth + 1;
  }
  return { outcome: 'asked', facts: { deepest } };
};

/**
 * A call is noted, then the process that noted it counts as gone; the sweep that every worker runs finds it.
 */
export const loseCaller: StepHandler<'lose_caller'> = async (play) => {
  const { ctx, stage } = play;
  const route = await resolveRoute(ctx, stage.agent.name);
  if (!route) throw new NotApplicable('Its machine does not serve');
  const { skill, args } = await chooseSkill(play, { args: 'sample' });
  const user = asUser(play);
  const inputSha256 = hashOf(args) ?? '';
  const calling = oneCall({ route, actor: user.actor, skill, grant: undefined, input: { inputSha256, args: () => args } });
  const [begun] = (await beginCalls(user, calling)).calls.values();
  if (!begun) throw new Error('no call has begun');
  await releasing([begun], async () => {
    await ctx
      .db('open_calls')
      .where({ call_id: begun.callId })
      .update({ process_id: '', began_at: ctx.db.raw(`now() - interval '10 minutes'`) });
  });
  const receipts = (): Promise<{ receipt_id: string; payload: unknown }[]> =>
    ctx.db('receipts').where({ run_id: begun.run.run_id }).select('receipt_id', 'payload');
  await sweepLostCalls(ctx);
  // Another worker's sweep may have taken it, and be about to write.
  for (let tries = 0; (await receipts()).length === 0 && tries < 40; tries += 1) await pause(50, undefined, { signal: play.signal });
  const [sealed, ...more] = await receipts();
  if (!sealed) return { outcome: 'refused', facts: { receipts: 0 } };
  const late = await endCall(user, begun, succeeded('late'));
  const after = await receipts();
  return {
    outcome: 'lost',
    facts: {
      receipts: 1 + more.length,
      error_code: errorCodeOf(sealed.payload),
      receipts_after_late_answer: after.length,
      late_answer_finds_it: late?.receipt_id === sealed.receipt_id,
    },
  };
};

// Safe: only sealReceipt writes payloads.
function errorCodeOf(payload: unknown): string {
  return (payload as { error_code: string | null }).error_code ?? 'none';
}
