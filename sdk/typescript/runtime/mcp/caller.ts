// What authentication found of an MCP client, carried through the package's own field for it.
import type { IncomingMessage } from 'node:http';
import type { toNodeHandler } from '@modelcontextprotocol/node';
import type { AuthInfo, McpRequestContext } from '@modelcontextprotocol/server';
import type { Principal } from '../../authoring/auth.ts';
import type { RunOrigin } from '../origin.ts';
import type { Owner } from '../owner.ts';
import type { Reads } from './accept.ts';
import type { AttendedRun } from './attended.ts';

export interface Caller {
  auth: Principal;
  requestId: string;
  owner: Owner;
  origin: RunOrigin;
  /** A client of 2025 that can be asked on the stream of its call. */
  asksOnStream: boolean;
  /** A client of 2025 that shows pages of its servers (apps.ts). */
  showsApps: boolean;
  /** `json`: nothing but the answer. */
  reads: Reads;
  /** Of 2025: the name that the client sends with each request. */
  session: string | undefined;
  /** The client's connection has ended. */
  gone: AbortSignal;
  /** Of 2025: what carries the request, and may outlive its connection (exchange.ts). */
  exchange?: { readonly resumes: boolean; readonly left: AbortSignal; isCancelled(id: string | number): boolean };
  /** A run that was begun for this request before the package saw it. */
  begun?: { runId: string; run: AttendedRun };
}

const callers = new WeakMap<object, Caller>();

/**
 * The adapter reads `req.auth`. A server's request always has a method and a URL; node's type, shared with
 * clients, does not say so.
 */
export function withCaller(req: IncomingMessage, caller: Caller): Parameters<ReturnType<typeof toNodeHandler>>[0] {
  const extra = {};
  callers.set(extra, caller);
  const auth: AuthInfo = { token: '', clientId: 'caller', scopes: [], extra };
  return Object.assign(req, { auth }) as IncomingMessage & { method: string; url: string; auth: AuthInfo };
}

export function callerOf({ authInfo }: McpRequestContext): Caller {
  const caller = authInfo?.extra && callers.get(authInfo.extra);
  if (!caller) throw new Error('a request that was not authenticated');
  return caller;
}
