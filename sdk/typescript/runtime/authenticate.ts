// Who calls: the deployment's key, then the agent's own resolver, then the shape the agent asked for.
import type { IncomingMessage } from 'node:http';
import { HEADER } from '../../../contract/wire/headers.ts';
import type { Agent } from '../authoring/agent.ts';
import { NoAuth, type AuthRequest, type AuthResolver, type Principal } from '../authoring/auth.ts';
import { AuthError, SvcError } from '../authoring/errors.ts';
import { APIKeyAuthResolver } from '../authoring/resolvers.ts';
import { errorFields } from './log.ts';
import type { Log } from '../authoring/context.ts';

/** Not a promise where nothing has to be waited for: this is on the path of every call. */
export type Authenticate = (req: IncomingMessage) => Promise<Principal> | Principal;

/**
 * The key (SVC_API_KEY) says that the platform's ingress calls; then the caller's own Authorization is in a header of the
 * ingress. Without a key the Authorization is the caller's.
 */
export function createAuthenticate(agent: Pick<Agent, 'authModel' | 'authResolver'>, apiKey: () => string | undefined, log: Log): Authenticate {
  const model = agent.authModel ?? NoAuth;
  const gatekeeper = memoByKey((key) => new APIKeyAuthResolver({ acceptedKey: key }));

  return (req) => {
    const key = apiKey();
    const outer: AuthRequest = { headers: req.headers, bearer: bearerOf(req.headers.authorization), local: key === undefined && isLocal(req) };
    const byKey = key === undefined ? undefined : gatekeeper(key).resolve(outer);
    if (agent.authResolver) {
      const caller = byKey ? { headers: req.headers, bearer: bearerOf(single(req.headers[HEADER.callerAuthorization])), local: false } : outer;
      return resolve(agent.authResolver, caller, log).then(shape);
    }
    const parsed = model.safeParse(byKey ?? {});
    return parsed.success ? parsed.data : {};
  };

  function shape(principal: Principal): Principal {
    const parsed = model.safeParse(principal);
    if (!parsed.success) throw new AuthError('the token does not say what this agent needs to know of its caller');
    return parsed.data;
  }
}

async function resolve(resolver: AuthResolver, request: AuthRequest, log: Log): Promise<Principal> {
  try {
    return await resolver.resolve(request);
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // A resolver that fails refuses the request.
    log.error('the auth resolver failed', errorFields(error));
    throw new AuthError('the caller could not be authenticated', { status: 503, cause: error });
  }
}

export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim() || undefined;
}

/** A connection without an address came over a socket of this machine. */
export function isLocal({ socket: { remoteAddress } }: IncomingMessage): boolean {
  return remoteAddress === undefined || remoteAddress === '::1' || /^(?:::ffff:)?127\./.test(remoteAddress);
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header;
}

function memoByKey<T>(make: (key: string) => T): (key: string) => T {
  let last: { key: string; value: T } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
