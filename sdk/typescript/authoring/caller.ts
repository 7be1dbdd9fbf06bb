// Who calls, by the platform's word: the same for every way in, whatever the agent's own resolver found out.
import type { Caller as WireCaller, CallerAccount as WireAccount } from '../../../contract/wire/caller.ts';
import type { Principal } from './auth.ts';

export interface CallerAccount {
  /** Never the same for two callers. */
  sub: string;
  /** Number of the account; null: no person. */
  userId: number | null;
  email: string | null;
  orgId: string | null;
  orgSlug: string | null;
}

export interface Caller extends CallerAccount {
  /**
   * token: of this agent, or a link to it. agent: another agent, where it may not speak as the person it
   * works for.
   */
  kind: WireCaller['kind'];
  /** Of those that skills of this agent require: the ones this caller has. */
  scopes: readonly string[];
  /**
   * The agent's owner answers for this caller: themselves, a member, their token, or whom they gave scopes.
   */
  trusted: boolean;
  /** Name of the agent that makes the call; null: none is between. */
  agent: string | null;
  /** With kind agent: the person behind it, who has not called this agent. */
  onBehalfOf: CallerAccount | null;
}

interface Vouched {
  caller: Caller;
  /** The principal says nothing else: no resolver of the author's found it. */
  whole: boolean;
}

const vouched = new WeakMap<Principal, Vouched>();

/** Notes on whose behalf the platform made the request that this principal is of. */
export function vouch<P extends Principal>(principal: P, caller: Caller, { whole = false } = {}): P {
  vouched.set(principal, { caller, whole });
  return principal;
}

export function callerOf(principal: Principal): Caller | undefined {
  return vouched.get(principal)?.caller;
}

export function isWhole(principal: Principal): boolean {
  return vouched.get(principal)?.whole === true;
}

/** As any of the specification's models takes it. */
export function principalOf(caller: Caller): Principal {
  const { sub, userId, email, orgId, orgSlug, scopes } = caller;
  return vouch({ apiKeyId: sub, sub, userId, email, orgId, orgSlug, scopes: [...scopes] }, caller, { whole: true });
}

export function fromWire({ kind, scopes, trusted, agent, on_behalf_of, ...account }: WireCaller): Caller {
  return Object.freeze({ kind, ...accountFrom(account), scopes, trusted, agent, onBehalfOf: on_behalf_of && accountFrom(on_behalf_of) });
}

export function toWire({ kind, scopes, trusted, agent, onBehalfOf, ...account }: Caller): WireCaller {
  return { kind, ...accountTo(account), scopes: [...scopes], trusted, agent, on_behalf_of: onBehalfOf && accountTo(onBehalfOf) };
}

function accountFrom({ sub, user_id, email, org_id, org_slug }: WireAccount): CallerAccount {
  return { sub, userId: user_id, email, orgId: org_id, orgSlug: org_slug };
}

function accountTo({ sub, userId, email, orgId, orgSlug }: CallerAccount): WireAccount {
  return { sub, user_id: userId, email, org_id: orgId, org_slug: orgSlug };
}
