// Who sent a request, carried through the package's context.
import { Extensions, A2A_VERSION_HEADER, HTTP_EXTENSION_HEADER } from '@a2a-js/sdk';
import { ServerCallContext } from '@a2a-js/sdk/server';
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../../authoring/auth.ts';
import type { RunOrigin } from '../origin.ts';
import type { Owner } from '../owner.ts';
import type { TaskRecord } from './task.ts';

export interface Caller {
  auth: Principal;
  owner: Owner;
  origin: RunOrigin;
  requestId: string;
  /** Where this agent is reached, as the caller sees it. */
  baseUrl: string;
  /** The connection is closed. */
  gone: AbortSignal;
  /** The task the request turned out to be about, before anything is answered. */
  onTask: (task: TaskRecord) => void;
}

const KEY = 'svc.caller';

/** Without a version a request is of 0.3, as the protocol says. */
export function versionOf(headers: IncomingHttpHeaders): string {
  const given = headers[A2A_VERSION_HEADER.toLowerCase()];
  return typeof given === 'string' && given !== '' ? given : '0.3';
}

export function contextOf(caller: Caller, headers: IncomingHttpHeaders): ServerCallContext {
  const extensions = headers[HTTP_EXTENSION_HEADER.toLowerCase()] ?? headers['x-a2a-extensions'];
  const requestedExtensions = typeof extensions === 'string' ? Extensions.parseServiceParameter(extensions) : undefined;
  return new ServerCallContext({
    ...(requestedExtensions && { requestedExtensions }),
    user: { isAuthenticated: !caller.owner.shared, userName: caller.owner.key },
    requestedVersion: versionOf(headers),
    state: new Map<string, unknown>([[KEY, caller]]),
  });
}

export function callerIn(context: ServerCallContext): Caller {
  // Put there by contextOf(), the only maker of contexts.
  return context.state.get(KEY) as Caller;
}
