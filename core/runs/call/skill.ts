// A call of one skill: `POST /invoke/{skill}` at its agent, which answers with JSON or with the events of the
// run.
import { HEADER } from '#contract/wire/headers.ts';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import type { AgentRequest } from '#drivers/agent-http/port.ts';
import { callableRoute } from '../run/callable.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isRefusal } from '../run/agent-error.ts';
import { faultIn } from '../run/agent-fault.ts';
import { hashOfArgs } from '../run/hash.ts';
import { CANCELLED_BY_CALLER, failed, failedWith, type Outcome, succeeded } from '../run/outcome.ts';
import { isTerminalEvent, outcomeOfEvent, readJson, receiptEvent } from './agent-events.ts';
import { type Calling, oneCall } from './begin.ts';
import { callOnce } from './once.ts';
import { type Listener, perform, type Performed, type Reading } from './perform.ts';

export interface SkillIn {
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
  /** The caller does not understand 202: it waits for the answer of a person too. */
  waits?: false;
  /** Aborted when the caller goes away: the skill is cancelled. */
  signal: AbortSignal;
}

/** @throws as callableRoute, perform and callOnce do */
export async function callSkill(ctx: Ctx, { name, ...i }: SkillIn & { name: string }): Promise<Performed> {
  return callSkillAt(ctx, await callableRoute(ctx, name), i);
}

/** The caller may call there: `callableRoute`. */
export async function callSkillAt(ctx: Ctx, route: AgentRoute, i: SkillIn): Promise<Performed> {
  const { skill_name: skill, args, accept, prefer, key, grant, signal } = i;
  if (key !== undefined) return callOnce(ctx, { route, skill, args, key, accept, prefer, grant, signal });
  const sent = {
    ...(grant !== undefined && { [HEADER.grant]: grant }),
    // The caller's own token stays here: an agent that held it could act as them.
    authorization: `Bearer ${route.apiKey}`,
    [HEADER.requestId]: ctx.requestId,
    accept: accept ?? '*/*',
    ...(prefer !== undefined && { prefer }),
    'content-type': 'application/json',
  };
  const input = { inputSha256: hashOfArgs(args), args: () => args };
  const request = { body: JSON.stringify(args), headers: (own: Readonly<Record<string, string>>) => ({ ...own, ...sent }), signal };
  return performSkill(ctx, { route, actor: ctx.actor, skill, grant, input, waits: i.waits ?? true }, request);
}

export interface SkillRequest {
  /** JSON text of the arguments. */
  body: string | Uint8Array;
  /** For the agent, its key among them. */
  headers: (own: Readonly<Record<string, string>>) => AgentRequest['headers'];
  signal: AbortSignal;
}

export function performSkill(ctx: Ctx, call: Omit<Calling, 'calls' | 'kept'>, request: SkillRequest): Promise<Performed> {
  const { skill } = call;
  return perform(ctx, oneCall(call), {
    ...request,
    path: `/invoke/${encodeURIComponent(skill)}`,
    maxBytes: MAX_VALUE_BYTES,
    read: ({ status, body }) => (body.kind === 'whole' ? readAnswer(skill, status, body.bytes) : unreadable(skill)),
    listen: () => listener(skill),
  });
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function readAnswer(skill: string, status: number, bytes: Buffer): Reading {
  // 202 of an agent whose run is not durable is no answer.
  const value = status === 202 ? undefined : readJson(bytes);
  if (value === undefined) return unreadable(skill);
  if (isSuccess(status)) return { kind: 'answered', value, verdicts: new Map([[skill, succeeded(value)]]) };
  const verdicts = new Map([[skill, failedWith(value, `http_${status}`)]]);
  if (isRefusal(status)) return { kind: 'refused', value, verdicts };
  return { kind: 'failed', value, verdicts, fault: status >= 500 ? `http_${status}` : undefined };
}

function unreadable(skill: string): Reading {
  return { kind: 'unreadable', verdicts: new Map([[skill, failed('bad_answer')]]), fault: 'bad_answer' };
}

const UNSAID: Readonly<Record<Parameters<Listener['unsaid']>[0], Outcome>> = {
  ended: failed('stream_broken'),
  left: CANCELLED_BY_CALLER,
  too_large: failed('answer_too_large'),
};

/** The first event that ends the run counts. */
function listener(skill: string): Listener {
  const verdicts = new Map<string, Outcome>();
  let lastId = 0;
  return {
    verdicts,
    onEvent({ event, data, id }) {
      if (id !== undefined && /^\d{1,15}$/.test(id)) lastId = Number(id);
      if (isTerminalEvent(event) && verdicts.size === 0) verdicts.set(skill, outcomeOfEvent(event, data));
    },
    unsaid: (how) => UNSAID[how],
    faultIn,
    last: (receipt) => receiptEvent(lastId + 1, receipt),
  };
}
