// What a simulated grant allows. The rules are the platform's own (wire/containment.ts); beside them a grant
// names actions and has a budget. A decision looks at one grant: two are never added up. deny > freeze >
// revoke > allow.
import { type ContainmentFault, containmentFault, grantAllows } from '../../wire/containment.ts';
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
  /** Of its patterns: regionOf. */
  region: string;
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
const WRITES = ['write', 'spend', 'delegate'] as const;

export const isWrite = (action: string): boolean => (WRITES as readonly string[]).includes(action);

export type NewGrant = Pick<SimGrant, 'issuer' | 'holder' | 'actions' | 'allow' | 'deny' | 'expires' | 'budget'>;

/** The same for grants that allow and deny the same patterns. */
export const regionOf = ({ allow, deny }: Pick<SimGrant, 'allow' | 'deny'>): string => `${allow.join('\n')}\n\n${deny.join('\n')}`;

/**
 * What was answered before: the questions about patterns are few, their answers do not change, and asking
 * costs.
 */
export function remembering<T>(most: number): (key: string, answer: () => T) => T {
  const known = new Map<string, T>();
  return (key, answer) => {
    const cached = known.get(key);
    if (cached !== undefined) return cached;
    if (known.size >= most) known.clear();
    const made = answer();
    known.set(key, made);
    return made;
  };
}

const contained = remembering<ContainmentFault['code'] | 'none'>(4096);
const covered = remembering<boolean>(65_536);

/** Why `child` may not be made from `parent`. */
export function authorityFault(parent: SimGrant, child: NewGrant): AuthorityFault | undefined {
  if (child.actions.some((action) => !parent.actions.includes(action))) return 'wider_actions';
  if (child.budget < 0 || child.budget > parent.budget - parent.spent - parent.given) return 'larger_budget';
  if (parent.depth >= parent.max_depth) return 'too_deep';
  // The proof about patterns is the same for the same patterns, and they are few: everything else of the
  // question is checked again.
  if (child.issuer !== parent.holder) return 'wrong_issuer';
  if (child.expires > parent.expires) return 'outlives_parent';
  const key = [parent.depth, parent.actions, parent.region, child.actions, regionOf(child)].join('\0');
  const code = contained(key, () => containmentFault({ ...asGrant(parent), depth: parent.depth }, asGrant(child))?.code ?? 'none');
  return code === 'none' ? undefined : code;
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

/** `grant`: the only one that the actor shows; undefined: it no longer exists. */
export function decide(policies: readonly Policy[], grant: SimGrant | undefined, request: Request): Decision {
  let [listed, on, deny, freeze, revoke] = [false, false, false, false, false];
  for (const policy of policies) {
    if (request.step < policy.from || request.step > policy.to) continue;
    if (policy.effect === 'allow') listed = true;
    if ((policy.actor === undefined || policy.actor === request.actor) && (policy.action === undefined || policy.action === request.action)) {
      const { effect } = policy;
      if (effect === 'deny') deny = true;
      else if (effect === 'freeze') freeze = true;
      else if (effect === 'revoke') revoke = true;
      else on = true;
    }
  }
  if (deny) return 'denied';
  if (freeze) return 'frozen';
  if (revoke || grant === undefined || grant.revoked || grant.holder !== request.actor) return 'revoked';
  if (request.step > grant.expires) return 'expired';
  // Where anything is on the list of what is allowed, nothing else is.
  if (listed && !on) return 'denied';
  if (!grant.actions.includes(request.action) || !covers(grant, request.path, isWrite(request.action))) return 'not_covered';
  return request.amount > grant.budget - grant.spent - grant.given ? 'over_budget' : 'allowed';
}

function covers(grant: SimGrant, path: string, write: boolean): boolean {
  const access = write ? 'write' : 'read';
  return covered([access, grant.actions.some(isWrite), grant.region, path].join('\0'), () => grantAllows(asGrant(grant), path, access));
}
