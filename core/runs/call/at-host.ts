// A call at the agent's own address. The caller gets the agent's own answer; the call gets a receipt.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import { HEADER } from '#contract/wire/headers.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { beginCall } from './begin.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { callOnce } from './once.ts';
import { callTask } from './call-tasks.ts';
import { callTools } from './call-tools.ts';
import { runSkill } from './run-skill.ts';
import { withOwn } from './own-headers.ts';
import { takeTraceparent } from './trace-header.ts';

export interface HostCall {
  route: AgentRoute;
  actor: Actor;
  /** `/invoke/{skill}`, the tools of `/mcp`, the tasks of the agent-to-agent protocol, or a run of AG-UI. */
  face: { kind: 'skill'; skill: string } | { kind: 'tools' } | { kind: 'task'; path: string };
  body: Buffer;
  /** Name and value in turn, as the agent is to get them. */
  headers: string[];
  /** Idempotency-Key, of a skill's call: `callOnce`. */
  key?: string | undefined;
  /** A grant token the caller passes on. */
  grant?: string | undefined;
  signal: AbortSignal;
}

export interface HostAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Readable | Buffer;
  /** A stream carries it in its last event instead. */
  receiptId?: string;
  /** Of the run that the request became. */
  traceId?: string;
}

/** Rejects with a DomainError when the agent could not be reached; the agent's own errors pass unchanged. */
export async function callAtHost(outer: Ctx, { route, actor, face, body, headers: sent, key, grant, signal }: HostCall): Promise<HostAnswer> {
  refuseInexact(body);
  const { trace, headers } = takeTraceparent(sent);
  const ctx: Ctx = { ...outer, trace };
  if (face.kind === 'tools') return callTools(ctx, { route, actor, grant }, { body, headers, signal });
  if (face.kind === 'task') return callTask(ctx, { route, actor, grant }, { path: face.path, body, headers, signal });
  if (key !== undefined) return atHostOnce(ctx, { route, skill: face.skill, body, headers, key, grant, signal });
  const input = { inputSha256: inputHash(body), args: () => parsed(body) };
  const { call, headers: own } = await beginCall(ctx, { route, actor, skill: face.skill, grant, input, waits: true });
  const traceId = traceIdOf(call.run);
  const answer = await runSkill(ctx, call, { body, headers: withOwn(headers, own), signal });
  if (answer.body.kind === 'stream') return { status: answer.status, headers: answer.headers, body: answer.body.stream, traceId };
  if (answer.body.kind === 'adopted') return { ...adopted(ctx, route.agentName, answer.body.run), traceId };
  return { status: answer.status, headers: answer.headers, body: answer.body.bytes, receiptId: answer.body.receiptId, traceId };
}

async function atHostOnce(
  ctx: Ctx,
  { body: sent, headers: raw, ...i }: Pick<HostCall, 'route' | 'body' | 'headers' | 'grant' | 'signal'> & { skill: string; key: string },
): Promise<HostAnswer> {
  const args = sent.length === 0 ? {} : parsed(sent);
  if (!isObject(args)) throw new Invalid([{ path: ['body'], message: 'send the arguments as a JSON object' }]);
  const { headers, body } = await callOnce(ctx, { ...i, args, accept: headerIn(raw, 'accept'), prefer: headerIn(raw, 'prefer'), grant: i.grant });
  const { [HEADER.receiptId]: receiptId, [HEADER.traceId]: traceId, ...own } = headers;
  const known = { ...(receiptId !== undefined && { receiptId }), ...(traceId !== undefined && { traceId }) };
  if (body.kind === 'stream') return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', ...own }, body: body.stream, ...known }; // prettier-ignore
  if (body.kind === 'deferred') return { ...adopted(ctx, i.route.agentName, body.run), ...known };
  return { status: body.status, headers: { 'content-type': 'application/json; charset=utf-8', ...own }, body: Buffer.from(JSON.stringify(body.value ?? null)), ...known }; // prettier-ignore
}

function headerIn(raw: readonly string[], name: string): string | undefined {
  const at = raw.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  return at === -1 ? undefined : raw[at + 1];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the run is read and followed is the API's, not the agent's. */
function adopted({ config }: Ctx, agent: string, run: z.infer<typeof RunOut>): HostAnswer {
  const location = `${config.baseUrl}/v1/agents/${agent}/api/runs/${run.run_id}`;
  return { status: 202, headers: { 'content-type': 'application/json; charset=utf-8', location }, body: Buffer.from(JSON.stringify(run)) };
}

/** Its hash would be that of other numbers than were sent. @throws Invalid */
function refuseInexact(body: Buffer): void {
  try {
    parseExact(body.toString());
  } catch (error) {
    // What is no JSON at all the agent refuses.
    if (error instanceof NumberOutOfRange) throw new Invalid([{ path: ['body'], message: error.message }]);
  }
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return body.toString();
  }
}

/** Of the canonical arguments; of the bytes as sent when they are not JSON (the agent refuses them then). */
function inputHash(body: Buffer): string {
  try {
    return hashOf(JSON.parse(body.toString())) ?? sha256(body);
  } catch {
    return sha256(body);
  }
}
