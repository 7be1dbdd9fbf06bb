// A call at the agent's own address. The caller gets the agent's own answer; the call gets a receipt.
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/agents/runs.ts';
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import { traceIdOf } from '../../kernel/trace.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { beginCall } from './begin.ts';
import { hashOf, sha256 } from '../run/hash.ts';
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
export async function callAtHost(outer: Ctx, { route, actor, face, body, headers: sent, grant, signal }: HostCall): Promise<HostAnswer> {
  refuseInexact(body);
  const { trace, headers } = takeTraceparent(sent);
  const ctx: Ctx = { ...outer, trace };
  if (face.kind === 'tools') return callTools(ctx, { route, actor, grant }, { body, headers, signal });
  if (face.kind === 'task') return callTask(ctx, { route, actor, grant }, { path: face.path, body, headers, signal });
  const input = { inputSha256: inputHash(body), args: () => parsed(body) };
  const { call, headers: own } = await beginCall(ctx, { route, actor, skill: face.skill, grant, input, waits: true });
  const traceId = traceIdOf(call.run);
  const answer = await runSkill(ctx, call, { body, headers: withOwn(headers, own), signal });
  if (answer.body.kind === 'stream') return { status: answer.status, headers: answer.headers, body: answer.body.stream, traceId };
  if (answer.body.kind === 'adopted') return { ...adopted(ctx, route.agentName, answer.body.run), traceId };
  return { status: answer.status, headers: answer.headers, body: answer.body.bytes, receiptId: answer.body.receiptId, traceId };
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
