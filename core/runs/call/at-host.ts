// A call at the agent's own address: what each of its faces calls.
import { NumberOutOfRange, parseExact } from '#contract/wire/exact-json.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Invalid } from '../../kernel/errors.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { hashOf, sha256 } from '../run/hash.ts';
import { callOnce } from './once.ts';
import { callTask } from './call-tasks.ts';
import { callTools } from './call-tools.ts';
import { withOwn } from './own-headers.ts';
import type { Performed } from './perform.ts';
import { performSkill } from './skill.ts';
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

/** @throws Invalid for a number that cannot be carried exactly; and as perform and callOnce do */
export async function callAtHost(outer: Ctx, { route, actor, face, body, headers: sent, key, grant, signal }: HostCall): Promise<Performed> {
  const args = readArgs(body);
  const { trace, headers } = takeTraceparent(sent);
  const ctx: Ctx = { ...outer, trace };
  if (face.kind === 'tools') return callTools(ctx, { route, actor, grant }, { body, headers, signal });
  if (face.kind === 'task') return callTask(ctx, { route, actor, grant }, { path: face.path, body, headers, signal });
  const { skill } = face;
  if (key !== undefined) {
    const given = body.length === 0 ? {} : args.value;
    if (!isObject(given)) throw new Invalid([{ path: ['body'], message: 'send the arguments as a JSON object' }]);
    return callOnce(ctx, { route, skill, args: given, key, accept: headerIn(headers, 'accept'), prefer: headerIn(headers, 'prefer'), grant, signal });
  }
  const input = { inputSha256: args.inputSha256, args: () => args.value };
  return performSkill(ctx, { route, actor, skill, grant, input, waits: true }, { body, headers: (own) => withOwn(headers, own), signal });
}

/**
 * The text itself, and the hash of its bytes, where it is no JSON: the agent refuses it then. A number that
 * cannot be carried exactly is refused here: its hash would be that of another. @throws Invalid
 */
function readArgs(body: Buffer): { value: unknown; inputSha256: string } {
  try {
    const value = parseExact(body.toString());
    return { value, inputSha256: hashOf(value) ?? sha256(body) };
  } catch (error) {
    if (error instanceof NumberOutOfRange) throw new Invalid([{ path: ['body'], message: error.message }]);
    return { value: body.toString(), inputSha256: sha256(body) };
  }
}

function headerIn(raw: readonly string[], name: string): string | undefined {
  const at = raw.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name);
  return at === -1 ? undefined : raw[at + 1];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
