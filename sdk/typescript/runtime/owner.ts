// Whose runs and tasks are whose: what a caller may find again is what the same caller began.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { textFromBase64Url } from '../../../contract/wire/base64url.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import type { Principal } from '../authoring/auth.ts';
import { callerOf, isWhole } from '../authoring/caller.ts';

/** Who calls an agent without a key, as on its author's machine. */
export const ANYBODY = 'anybody';

export interface Owner {
  /** Equal for equal callers; no secret in it. */
  key: string;
  /**
   * Callers that cannot be distinguished share a key: each finds what it has an id of, and no list shows the
   * others' entries.
   */
  shared: boolean;
}

/**
 * The agent's own resolver says who calls; else the platform; else its credential of the run; else the
 * caller's token.
 * @param keyed the agent has a key, so many callers come through one platform. Without one it is an author's
 * own machine.
 */
export function ownerOf(req: IncomingMessage, auth: Principal, { keyed, resolved }: { keyed: boolean; resolved: boolean }): Owner {
  const own = resolved && Object.keys(auth).length > 0 && !isWhole(auth);
  const vouched = own ? undefined : callerOf(auth);
  // Not by their scopes or their address, which change. An agent that may not speak as a person does not find
  // what is that person's.
  if (vouched) return { key: `vouched:${hash(JSON.stringify([vouched.sub, vouched.onBehalfOf?.sub]))}`, shared: false };
  if (own) return { key: `principal:${hash(JSON.stringify(Object.entries(auth).toSorted()))}`, shared: false };
  const caller = keyed ? callerOfRun(single(req.headers[HEADER.runToken])) : undefined;
  if (caller !== undefined) return { key: `caller:${hash(caller)}`, shared: false };
  const token = keyed ? single(req.headers[HEADER.callerAuthorization]) : req.headers.authorization;
  if (token !== undefined) return { key: `token:${hash(token)}`, shared: false };
  return { key: ANYBODY, shared: keyed };
}

/**
 * The platform's credential (core/runs/run/credential.ts): `u` is the person behind the call, `c` who called.
 * It comes beside the agent's key, so its signature, which an agent cannot check, need not be.
 */
function callerOfRun(token: string | undefined): string | undefined {
  const claims = token?.startsWith('svc_run_') ? token.slice('svc_run_'.length).split('.')[0] : undefined;
  if (claims === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(textFromBase64Url(claims) ?? '');
    if (typeof value !== 'object' || value === null) return undefined;
    if ('u' in value && typeof value.u === 'string') return `user:${value.u}`;
    const [kind, id]: unknown[] = 'c' in value && Array.isArray(value.c) ? value.c : [];
    return typeof kind === 'string' && typeof id === 'string' ? `${kind}:${id}` : undefined;
  } catch {
    return undefined;
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header;
}
