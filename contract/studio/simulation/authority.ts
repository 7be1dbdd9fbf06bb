// What a simulated grant allows. The rules are the platform's own (wire/containment.ts); beside them a grant names actions and has a budget.
// A decision looks at one grant: two are never added up. deny > freeze > revoke > allow.
import { type ContainmentFault, containmentFault, grantFilter } from '../../wire/containment.ts';
import type { Grant } from '../../wire/grant.ts';

export interface SimGrant {
  id: number;
  /** -1: given by the world at its beginning. */
  parent: number;
  depth: number;
  issuer: number;
  holder: number;
  actions: readonly string[];
  allow: readonly string[];
  deny: readonly string[];
  /** Last step at which it is good. */
  expires: number;
  budget: number;
  /** By its holder, and what was given to children. */
  spent: number;
  given: number;
  /** Its depth can reach no further than this. */
  max_depth: number;
  revoked: boolean;
  /** Those that are good. */
  readonly children: Set<SimGrant>;
}

export interface Policy {
  effect: 'deny' | 'freeze' | 'revoke' | 'allow';
  /** Absent: every one. */
  actor?: number | undefined;
  action?: string | undefined;
  from: number;
  to: number;
}

export type AuthorityFault = ContainmentFault['code'] | 'wider_actions' | 'larger_budget' | 'not_live';

/** Actions that change something. */
export const WRITES = ['write', 'spend', 'delegate'] as const;

export const isWrite = (action: string): boolean => (WRITES as readonly string[]).includes(action);

export type NewGrant = Pick<SimGrant, 'issuer' | 'holder' | 'actions' | 'allow' | 'deny' | 'expires' | 'budget'>;

const seen = new Map<string, ContainmentFault['code'] | undefined>();

/** Why `child` may not be made from `parent`. */
export function authorityFault(parent: SimGrant, child: NewGrant): AuthorityFault | undefined {
  if (child.actions.some((action) => !parent.actions.includes(action))) return 'wider_actions';
  if (child.budget < 0 || child.budget > parent.budget - parent.spent - parent.given) return 'larger_budget';
  if (parent.depth >= parent.max_depth) return 'too_deep';
  // The proof about patterns is the same for the same patterns, and they are few: everything else of the question is asked anew.
  if (child.issuer !== parent.holder) return 'wrong_issuer';
  if (child.expires > parent.expires) return 'outlives_parent';
  const key = JSON.stringify([parent.depth, parent.actions, parent.allow, parent.deny, child.actions, child.allow, child.deny]);
  if (seen.has(key)) return seen.get(key);
  if (seen.size >= 4096) seen.clear();
  const code = containmentFault({ ...asGrant(parent), depth: parent.depth }, asGrant(child))?.code;
  seen.set(key, code);
  return code;
}

function asGrant(grant: NewGrant): Grant {
  return {
    grant_id: 'grant',
    issuer: String(grant.issuer),
    audience: String(grant.holder),
    bucket: 'world',
    mode: grant.actions.some(isWrite) ? 'read_write_overlay' : 'read_only',
    allow_patterns: [...grant.allow],
    deny_patterns: [...grant.deny],
    outputs_prefix: null,
    expires_at: grant.expires,
    issued_at: 0,
    nonce: 'simulated',
  };
}

export type Decision = 'allowed' | 'denied' | 'frozen' | 'revoked' | 'expired' | 'not_covered' | 'over_budget';

export interface Request {
  actor: number;
  action: string;
  path: string;
  amount: number;
  step: number;
}

/** `grant`: the only one that the actor shows; undefined: it is not there any more. */
export function decide(policies: readonly Policy[], grant: SimGrant | undefined, request: Request): Decision {
  const effects = new Set<Policy['effect']>();
  let listed = false;
  for (const policy of policies) {
    if (request.step < policy.from || request.step > policy.to) continue;
    if (policy.effect === 'allow') listed = true;
    if ((policy.actor === undefined || policy.actor === request.actor) && (policy.action === undefined || policy.action === request.action)) {
      effects.add(policy.effect);
    }
  }
  if (effects.has('deny')) return 'denied';
  if (effects.has('freeze')) return 'frozen';
  if (effects.has('revoke') || grant === undefined || grant.revoked || grant.holder !== request.actor) return 'revoked';
  if (request.step > grant.expires) return 'expired';
  // Where anything is on the list of what is allowed, nothing else is.
  if (listed && !effects.has('allow')) return 'denied';
  if (!grant.actions.includes(request.action) || !covers(grant, request.path, isWrite(request.action))) return 'not_covered';
  return request.amount > grant.budget - grant.spent - grant.given ? 'over_budget' : 'allowed';
}

const filters = new Map<string, (path: string) => boolean>();

function covers(grant: SimGrant, path: string, write: boolean): boolean {
  const key = JSON.stringify([write, grant.actions.some(isWrite), grant.allow, grant.deny]);
  let filter = filters.get(key);
  if (!filter) {
    if (filters.size >= 1024) filters.clear();
    const { mode, allow_patterns, deny_patterns } = asGrant(grant);
    filter = grantFilter({ mode, allow_patterns, deny_patterns, outputs_prefix: null }, write ? 'write' : 'read');
    filters.set(key, filter);
  }
  return filter(path);
}
