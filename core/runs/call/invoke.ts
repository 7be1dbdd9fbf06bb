// A call through the API: authorised, routed (which wakes the agent), and its answer in the API's own words.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import { pathTo } from '#contract/path-to.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { AgentFailed, BadGateway, BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { mayCall } from '../../agents/route/may-call.ts';
import { type AgentRoute, resolveRoute } from '../../agents/route/resolve.ts';
import { agentErrorOf } from '../run/agent-error.ts';
import { beginCall } from './begin.ts';
import { hashOf } from '../run/hash.ts';
import { callOnce } from './once.ts';
import { runSkill, type SkillAnswer } from './run-skill.ts';

export interface InvokeIn {
  name: string;
  skill_name: string;
  args: Record<string, unknown>;
  /**
   * `text/event-stream` asks for the events of the run, `application/json` only for its result; absent: as
   * the skill is declared.
   */
  accept: string | undefined;
  /** `wait=N`: seconds that a caller of JSON waits for a person's answer before it gets 202. */
  prefer?: string | undefined;
  /** The same key is the same call: `callOnce`. */
  key?: string | undefined;
  /** A grant token the caller passes on. */
  grant?: string | undefined;
  /** Aborted when the caller goes away: the skill is cancelled. */
  signal: AbortSignal;
}

/**
 * Refusals of the agent's own that its caller can mend are theirs to see; everything else is a fault between
 * us and the agent.
 */
export type PassedStatus = 200 | 202 | 400 | 403 | 404 | 409 | 413 | 422;
const passed: readonly number[] = [200, 400, 403, 404, 409, 413, 422] satisfies PassedStatus[];

export interface InvokeOut {
  status: PassedStatus;
  headers: Record<string, string>;
  /** The agent's JSON, or its events as bytes. */
  body: unknown;
}

export async function invokeSkill(ctx: Ctx, i: InvokeIn): Promise<InvokeOut> {
  const route = await callableRoute(ctx, i.name);
  return i.key === undefined ? invokeAt(ctx, route, i) : invokeOnce(ctx, route, { ...i, key: i.key });
}

async function invokeOnce(ctx: Ctx, route: AgentRoute, i: InvokeIn & { key: string }): Promise<InvokeOut> {
  const { skill_name: skill, args, key, accept, prefer, grant, signal } = i;
  const { headers, body } = await callOnce(ctx, { route, skill, args, key, accept, prefer, grant, signal });
  if (body.kind === 'stream') return { status: 200, headers: { ...streamHeaders, ...headers }, body: body.stream };
  if (body.kind === 'deferred') return deferred(route, headers, body.run);
  const { status, value } = body;
  if (!isPassed(status)) throw agentFailed(status, status, { value, receiptId: headers[HEADER.receiptId] ?? '' }, undefined);
  return { status, headers, body: value };
}

/** The caller may call there: `callableRoute`. */
export async function invokeAt(ctx: Ctx, route: AgentRoute, i: Omit<InvokeIn, 'name'>): Promise<InvokeOut> {
  const { status, headers, body, retryAfter } = await askSkill(ctx, route, { ...i, waits: true });
  if (body.kind === 'stream') return { status: 200, headers: { ...streamHeaders, ...headers }, body: body.stream satisfies Readable };
  if (body.kind === 'adopted') return deferred(route, headers, body.run);
  if (body.kind === 'unreadable') {
    throw new BadGateway('agent_bad_answer', 'The agent answered with something that is not JSON', { agent_status: status, receipt_id: body.receiptId });
  }
  const passes = isSuccess(status) ? 200 : status;
  if (!isPassed(passes)) throw agentFailed(status, status, body, retryAfter);
  return { status: passes, headers, body: body.value };
}

function deferred({ agentName: name }: AgentRoute, headers: Record<string, string>, run: z.infer<typeof RunOut>): InvokeOut {
  return { status: 202, headers: { ...headers, location: pathTo('GET /v1/agents/{name}/api/runs/{run_id}', { name, run_id: run.run_id }) }, body: run };
}

export interface SkillResponse {
  /** The agent's own. */
  status: number;
  /** Of trace, run and receipt, for the caller. */
  headers: Record<string, string>;
  body: SkillAnswer['body'];
  retryAfter: string | string[] | undefined;
}

/** One call and the agent's own answer. `waits`: the caller understands 202. */
export async function askSkill(ctx: Ctx, route: AgentRoute, i: Omit<InvokeIn, 'name'> & { waits: boolean }): Promise<SkillResponse> {
  const inputSha256 = hashOf(i.args);
  if (inputSha256 === undefined)
    throw new BadRequest('args_not_canonical', 'The arguments are nested too deeply to be hashed for the receipt: send them flatter');
  const begun = await beginCall(ctx, {
    route,
    actor: ctx.actor,
    skill: i.skill_name,
    grant: i.grant,
    input: { inputSha256, args: () => i.args },
    waits: i.waits,
  });
  // The caller's own token stays here: an agent that held it could act as them.
  const headers = {
    ...begun.headers,
    ...(i.grant === undefined ? {} : { [HEADER.grant]: i.grant }),
    authorization: `Bearer ${route.apiKey}`,
    [HEADER.requestId]: ctx.requestId,
    accept: i.accept ?? '*/*',
    ...(i.prefer === undefined ? {} : { prefer: i.prefer }),
    'content-type': 'application/json',
  };
  const { status, headers: answered, body } = await runSkill(ctx, begun.call, { body: JSON.stringify(i.args), headers, signal: i.signal });
  const traced = { [HEADER.traceId]: traceIdOf(begun.call.run), [HEADER.runId]: begun.call.run.run_id };
  const receipt = body.kind === 'json' ? { [HEADER.receiptId]: body.receiptId } : {};
  return { status, headers: { ...traced, ...receipt }, body, retryAfter: answered['retry-after'] };
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** @throws NotFound agent_not_found for what the caller may not see; Conflict agent_not_live */
export async function callableRoute(ctx: Ctx, name: string): Promise<AgentRoute> {
  const route = await visibleRoute(ctx, name);
  if (!route) throw new Conflict('agent_not_live', `${name} has no live deployment: deploy it first`);
  return route;
}

/** Undefined: the agent exists and is not live. */
async function visibleRoute(ctx: Ctx, name: string): Promise<AgentRoute | undefined> {
  if (ctx.actor.kind === 'api_token' || ctx.actor.kind === 'user') return resolveRoute(ctx, (await agentFor(ctx.db, ctx.actor, 'agent.call', name)).name);
  if (ctx.actor.kind !== 'run') return resolveRoute(ctx, (await agentFor(ctx.db, ctx.actor, 'agent.read', name)).name);
  const route = await resolveRoute(ctx, name);
  if (!route || !mayCall(ctx.actor, route)) throw new NotFound('agent_not_found', `There is no agent ${name} that this run may call`);
  return route;
}

const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

function isPassed(status: number): status is PassedStatus {
  return passed.includes(status);
}

/** With the agent's own message where it sent one; it sends none for its unexpected errors. */
export function agentFailed(
  as: number,
  agentStatus: number,
  { value, receiptId }: { value: unknown; receiptId: string },
  retryAfter: string | string[] | undefined,
): Error {
  const agentError = agentErrorOf(value);
  const details = { agent_status: agentStatus, ...(receiptId !== '' && { receipt_id: receiptId }), ...(agentError?.issues && { issues: agentError.issues }) };
  if (as === 504) return new AgentFailed('skill_timeout', agentError?.code, agentError?.message ?? 'The skill did not end within its time', details);
  if (as === 503) {
    const message = agentError?.message ?? 'The agent has as many calls as it takes: try again in a few seconds';
    return new AgentFailed('agent_busy', agentError?.code, message, { ...details, retry_after_seconds: bounded(Number(retryAfter)) });
  }
  return new AgentFailed('agent_error', agentError?.code, agentError?.message ?? 'The agent returned an error: see its logs', details);
}

/** Seconds, from the agent; at most a minute. */
export function bounded(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(60, Math.max(1, Math.ceil(seconds))) : 1;
}
