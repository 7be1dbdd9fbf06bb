// Who calls: the deployment's key, then the agent's own resolver, then the shape the agent asked for.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readCaller } from '../../../contract/crypto/caller-token.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import type { Agent } from '../authoring/agent.ts';
import { NoAuth, type AuthRequest, type AuthResolver, type Principal } from '../authoring/auth.ts';
import { type Caller, callerOf, fromWire, isWhole, principalOf, vouch } from '../authoring/caller.ts';
import { AuthError, SvcError } from '../authoring/errors.ts';
import { APIKeyAuthResolver } from '../authoring/resolvers.ts';
import { errorFields } from './log.ts';
import type { Log } from '../authoring/context.ts';

/** Not a promise where nothing has to be waited for: this is on the path of every call. */
export type Authenticate = (req: IncomingMessage) => Promise<Principal> | Principal;

/**
 * The key (SVC_API_KEY) says that the platform calls; then the caller's own Authorization is in a header of
 * the platform's, and who calls, by its word, in another. Without a key the Authorization is the caller's.
 */
export function createAuthenticate(agent: Pick<Agent, 'authModel' | 'authResolver'>, apiKey: () => string | undefined, log: Log): Authenticate {
  const model = agent.authModel ?? NoAuth;
  const gatekeeper = memoByKey((key) => new APIKeyAuthResolver({ acceptedKey: key }));

  return (req) => {
    const key = apiKey();
    const outer: AuthRequest = { headers: req.headers, bearer: bearerOf(req.headers.authorization), local: key === undefined && isLocal(req) };
    const byKey = key === undefined ? undefined : gatekeeper(key).resolve(outer);
    const caller = key === undefined ? undefined : vouchedCaller(req.headers, key);
    if (agent.authResolver) {
      const request = byKey ? { headers: req.headers, bearer: bearerOf(single(req.headers[HEADER.callerAuthorization])), local: false, caller } : outer;
      return resolve(agent.authResolver, request, log).then((principal) => shape(principal, caller));
    }
    const parsed = model.safeParse(caller ? fieldsFor(model, { ...principalOf(caller), apiKeyId: byKey?.['apiKeyId'] }) : (byKey ?? {}));
    return noted(parsed.success ? parsed.data : {}, caller);
  };

  function shape(principal: Principal, caller: Caller | undefined): Principal {
    // Not one that a resolver kept of another request.
    const whole = caller !== undefined && callerOf(principal) === caller && isWhole(principal);
    const parsed = model.safeParse(whole ? fieldsFor(model, principal) : principal);
    if (!parsed.success) throw new AuthError('the token does not say what this agent needs to know of its caller');
    return noted(parsed.data, caller, whole);
  }
}

function noted(principal: Principal, caller: Caller | undefined, whole = false): Principal {
  // A copy: what a model returns may be an object that other calls share.
  return caller ? vouch({ ...principal }, caller, { whole }) : principal;
}

/** Undefined: the platform does not know who calls, or the header is not its own, or of another request. */
function vouchedCaller(headers: IncomingHttpHeaders, key: string): Caller | undefined {
  const token = headers[HEADER.caller];
  if (typeof token !== 'string') return undefined;
  const caller = readCaller(token, key, { run: single(headers[HEADER.runId]) ?? null, now: Math.floor(Date.now() / 1000) });
  return caller && fromWire(caller);
}

/**
 * Who brought no credential of their own, and for whom the agent's owner answers, is let in by the platform's
 * word.
 */
async function resolve(resolver: AuthResolver, request: AuthRequest, log: Log): Promise<Principal> {
  try {
    return await resolver.resolve(request);
  } catch (error) {
    const { headers, caller } = request;
    const brought = headers[HEADER.callerAuthorization] !== undefined;
    if (error instanceof SvcError && error.status === 401 && !brought && caller?.trusted === true) return principalOf(caller);
    if (error instanceof SvcError) throw error;
    // A resolver that fails refuses the request.
    log.error('the auth resolver failed', errorFields(error));
    throw new AuthError('the caller could not be authenticated', { status: 503, cause: error });
  }
}

/** Only what the model asks for, so that one which takes nothing else is not refused. */
function fieldsFor(model: z.ZodType, fields: Principal): Principal {
  const object = model instanceof z.ZodPipe ? model.out : model;
  if (!(object instanceof z.ZodObject)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in object.shape || snakeCased(name) in object.shape));
}

/** Models of agents in other languages. */
function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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
