// Who a scope admits: the one table that both the handlers' types and the check in mount() read.
import type { Actor } from '#core/kernel/ctx.ts';
import type { RouteSpec, Scope } from '#contract/kit.ts';

/** `none` and `public` never look at credentials, so their handlers always see `anonymous`. */
export const ADMITS = {
  run: ['run'],
  'source-token': ['source_token', 'user'],
  none: ['anonymous'],
  public: ['anonymous'],
  optional: ['anonymous', 'user'],
  authenticated: ['user'],
  account: ['user'],
  operator: ['user'],
  platform: ['platform'],
  scim: ['org_scim'],
  'agent-token': ['api_token', 'user'],
  'optional,agent-token': ['anonymous', 'api_token', 'user'],
} as const satisfies Record<Scope, readonly Actor['kind'][]>;

export type ActorOf<S extends Scope> = Extract<Actor, { kind: (typeof ADMITS)[S][number] }>;

export type Verdict = 'ok' | 'unauthenticated' | 'forbidden';

/**
 * `runs`, `agentTokens`, `agentSessions`: the route says that a running agent, an agent's token or the
 * session of its visitor may call it too.
 */
export function admit(
  scope: Scope,
  actor: Actor,
  { at, runs, looks, agentTokens, agentSessions }: Partial<Pick<RouteSpec, 'at' | 'runs' | 'looks' | 'agentTokens' | 'agentSessions'>> = {},
): Verdict {
  if (actor.kind === 'run' && actor.looks && !looks) return 'forbidden';
  if (actor.kind === 'platform' && actor.routes && (at === undefined || !actor.routes.includes(at))) return 'forbidden';
  if (agentTokens && actor.kind === 'api_token') return 'ok';
  if ((runs && actor.kind === 'run') || (agentSessions && actor.kind === 'agent_session')) return 'ok';
  const kinds: readonly Actor['kind'][] = ADMITS[scope];
  if (!kinds.includes(actor.kind)) return actor.kind === 'anonymous' ? 'unauthenticated' : 'forbidden';
  if (scope === 'operator') return actor.kind === 'user' && actor.operator ? 'ok' : 'forbidden';
  return 'ok';
}
